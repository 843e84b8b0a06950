import { defineOptions, listField, type OptionsOf } from '@deskside/core/program';
import * as z from 'zod';
import { CATEGORIES, correctionProblem } from './analysis/categories.ts';
import { ruleProblem } from './analysis/privacy.ts';

const folderField = (description: string) =>
  z.string().min(1).optional().meta({ placeholder: 'FOLDER', description });

const RULES =
  'a comma-separated list of app:NAME, site:DOMAIN, title:TEXT, or TEXT for all three. Wildcards: * and ?.';

const each =
  (problemOf: (text: string) => string | undefined) =>
  (texts: readonly string[], context: z.RefinementCtx): void => {
    const message = texts.map(problemOf).find((problem) => problem !== undefined);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };

const rulesField = (effect: string) =>
  listField()
    .superRefine(each(ruleProblem))
    .meta({ placeholder: 'RULES', description: `Activities to ${effect}: ${RULES}` });

export const manictimeOptions = defineOptions(
  'MANICTIME',
  {
    dataDir: folderField(
      "Folder that contains ManicTimeReports.db. Default on Windows: the folder in ManicTime's registry entry, else %LOCALAPPDATA%\\Finkit\\ManicTime.",
    ),
    screenshotsDir: folderField(
      'Folder that contains the screenshots. Default: Screenshots in the data folder.',
    ),
    saveDir: folderField(
      "Folder that save_screenshot may write to, in addition to the client's roots. Over HTTP only this folder is used, because the client's roots may be on another machine.",
    ),
    exclude: rulesField('hide completely'),
    redact: rulesField('count but show as [redacted]'),
    categories: listField()
      .superRefine(each(correctionProblem))
      .meta({
        placeholder: 'LIST',
        description: `Kinds of programs in pictures, if they are wrong: a comma-separated list of NAME=KIND. NAME is a program, its executable or its folder in ManicTime. Kinds: ${CATEGORIES.join(', ')}.`,
      }),
    demo: z.boolean().default(false).meta({
      description: 'Serve demo data from a temporary folder. Use it to try the server without ManicTime.',
    }),
  },
  { httpPort: 3337 },
);

/** What a program passes to `openManicTime`: `manictimeOptions` has the descriptions and the defaults. */
export type ManicTimeOptions = Partial<OptionsOf<typeof manictimeOptions>>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What only the environment knows. */
export interface Origin {
  /** Where `dataDir` comes from, for `manictime://config`. Default `Option`. */
  readonly dataDirSource?: 'Option' | 'EnvironmentVariable';
  /** Windows' folder for local application data. Default: `AppData\\Local` in the home folder. */
  readonly localAppData?: string | undefined;
}

/** Where the settings of a program come from, for `openManicTime`. */
export function originOf(
  { dataDir }: ManicTimeOptions,
  { MANICTIME_DATA_DIR, LOCALAPPDATA }: Environment,
): Origin {
  return {
    dataDirSource: dataDir === MANICTIME_DATA_DIR ? 'EnvironmentVariable' : 'Option',
    localAppData: LOCALAPPDATA,
  };
}
