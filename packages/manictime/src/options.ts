import { defineOptions, listField } from '@deskside/core';
import { z } from 'zod';

const folder = z.string().min(1);
const rules = 'app:NAME, site:DOMAIN or title:TEXT, or one word for all three, * and ? wild';

export const manictimeOptions = defineOptions('MANICTIME', {
  dataDir: folder.optional().meta({
    placeholder: 'FOLDER',
    description:
      "Folder that holds ManicTimeReports.db. Default on Windows: what ManicTime's registry entry says, else %LOCALAPPDATA%\\Finkit\\ManicTime.",
  }),
  screenshotsDir: folder.optional().meta({
    placeholder: 'FOLDER',
    description: 'Folder that holds the screenshots. Default: Screenshots in the data folder.',
  }),
  saveDir: folder.optional().meta({
    placeholder: 'FOLDER',
    description:
      "Folder that save_screenshot may write to besides the client's roots; over HTTP the only one, as a client's roots name its own disk.",
  }),
  exclude: listField().meta({
    placeholder: 'RULES',
    description: `What no tool shows, as if it had never been: ${rules}; separated by commas.`,
  }),
  redact: listField().meta({
    placeholder: 'RULES',
    description: `What is counted and shown without its name: ${rules}; separated by commas.`,
  }),
  imageCodec: z
    .enum(['auto', 'sharp', 'jimp'], { error: 'use one of auto, sharp, jimp' })
    .default('auto')
    .meta({
      placeholder: 'CODEC',
      description: 'What crops images: sharp, jimp (slower, pure JavaScript), or auto: sharp where it loads.',
    }),
  localAppData: z.string().optional().meta({
    env: 'LOCALAPPDATA',
    flag: false,
    placeholder: 'FOLDER',
    description: 'Set by Windows: where ManicTime keeps its data by default.',
  }),
  demo: z.boolean().default(false).meta({
    description: 'Show made-up data, written to a temporary folder: to try the server without ManicTime.',
  }),
  doctor: z.boolean().default(false).meta({
    description: 'Print what was found, what is missing and what to do about it, and end.',
  }),
});

export interface ManicTimeOptions {
  /** Folder that holds `ManicTimeReports.db`; found on Windows if not given. */
  readonly dataDir?: string | undefined;
  /** What `dataDir` was said with; default `Option`. */
  readonly dataDirSource?: 'Option' | 'EnvironmentVariable';
  /** Default: `Screenshots` in the data folder. */
  readonly screenshotsDir?: string | undefined;
  /** Folder that screenshots may be saved in, whatever the client's roots. */
  readonly saveDir?: string | undefined;
  /** Rules for what no tool shows: `app:keepass*`, `site:bank.example`, `title:*salary*`. */
  readonly exclude?: readonly string[];
  /** Rules for what is shown without its name. */
  readonly redact?: readonly string[];
  /** Default `auto`. */
  readonly imageCodec?: 'auto' | 'sharp' | 'jimp';
  /** `%LOCALAPPDATA%` on Windows. */
  readonly localAppData?: string | undefined;
  /** Shows made-up data. Only in programs: the library comes without what makes them. */
  readonly demo?: boolean;
}
