import { defineOptions, listField } from '@deskside/core/cli';
import * as z from 'zod';
import { ruleProblem } from './analysis/privacy.ts';

const folder = z.string().min(1);
const rules =
  'a comma-separated list of app:NAME, site:DOMAIN, title:TEXT, or TEXT for all three. Wildcards: * and ?.';

function validRules(patterns: readonly string[], context: z.RefinementCtx): void {
  const message = patterns.map(ruleProblem).find((problem) => problem !== undefined);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
}

export const manictimeOptions = defineOptions(
  'MANICTIME',
  {
    dataDir: folder.optional().meta({
      placeholder: 'FOLDER',
      description:
        "Folder that contains ManicTimeReports.db. Default on Windows: the folder in ManicTime's registry entry, else %LOCALAPPDATA%\\Finkit\\ManicTime.",
    }),
    screenshotsDir: folder.optional().meta({
      placeholder: 'FOLDER',
      description: 'Folder that contains the screenshots. Default: Screenshots in the data folder.',
    }),
    saveDir: folder.optional().meta({
      placeholder: 'FOLDER',
      description:
        "Folder that save_screenshot may write to, in addition to the client's roots. Over HTTP only this folder is used, because the client's roots may be on another machine.",
    }),
    exclude: listField()
      .superRefine(validRules)
      .meta({
        placeholder: 'RULES',
        description: `Activities to hide completely: ${rules}`,
      }),
    redact: listField()
      .superRefine(validRules)
      .meta({
        placeholder: 'RULES',
        description: `Activities to count but show as [redacted]: ${rules}`,
      }),
    imageCodec: z
      .enum(['auto', 'sharp', 'jimp'], { error: 'use one of auto, sharp, jimp' })
      .default('auto')
      .meta({
        placeholder: 'CODEC',
        description: 'Image library: sharp, jimp (slower, pure JavaScript), or auto (sharp if it loads).',
      }),
    demo: z.boolean().default(false).meta({
      description: 'Serve demo data from a temporary folder. Use it to try the server without ManicTime.',
    }),
  },
  { httpPort: 3337 },
);

export interface ManicTimeOptions {
  /** Folder that contains `ManicTimeReports.db`. Default: found on Windows. */
  readonly dataDir?: string | undefined;
  /** Where `dataDir` comes from, for `manictime://config`. Default `Option`. */
  readonly dataDirSource?: 'Option' | 'EnvironmentVariable';
  /** Default: `Screenshots` in the data folder. */
  readonly screenshotsDir?: string | undefined;
  /** Folder that screenshots may be saved to, in addition to the client's roots. */
  readonly saveDir?: string | undefined;
  /** Rules for activities to hide: `app:keepass*`, `site:bank.example`, `title:*salary*`. */
  readonly exclude?: readonly string[];
  /** Rules for activities to count without their names. */
  readonly redact?: readonly string[];
  /** Default `auto`. */
  readonly imageCodec?: 'auto' | 'sharp' | 'jimp';
  /** Windows' folder for local application data. Default: `AppData\Local` in the home folder. */
  readonly localAppData?: string | undefined;
  /** Serves demo data from a temporary folder, which is removed on disposal. */
  readonly demo?: boolean;
  /** Local time in seconds, for dates such as `today`. Default: this machine's clock. */
  readonly now?: () => number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Adds what only the environment knows: where `dataDir` comes from, and Windows' `%LOCALAPPDATA%`. */
export function withEnvironment(
  options: z.output<typeof manictimeOptions.schema>,
  { MANICTIME_DATA_DIR, LOCALAPPDATA }: Environment,
): ManicTimeOptions {
  return {
    ...options,
    dataDirSource: options.dataDir === MANICTIME_DATA_DIR ? 'EnvironmentVariable' : 'Option',
    localAppData: LOCALAPPDATA,
  };
}
