import { defineOptions, listenFields, listField, logFields, readOptions } from '@deskside/core/program';
import * as z from 'zod';
import { defaultConfigFile } from './config/load.ts';
import { ATTACH_TIMEOUT_SECONDS } from './attach/arguments.ts';
import { BUILT_IN_IDS } from './mounts/built-in.ts';

/** A flag of a command. */
export function flagField(description: string) {
  return z.boolean().default(false).meta({ description });
}

/** Which configuration file is read. */
const configFields = {
  config: z
    .string()
    .min(1)
    .optional()
    .meta({
      changesListing: true,
      placeholder: 'FILE',
      defaultText: "deskside.toml in the user's configuration folder",
      defaultPath: () => defaultConfigFile(),
      description: 'TOML file with mounts, their settings and profiles. Changes wait for "deskside apply".',
    }),
};

/** Which mounts are opened. */
const mountFields = {
  ...configFields,
  mounts: listField().meta({
    changesListing: true,
    placeholder: 'IDS',
    defaultText: 'all',
    description: `Mounts to open, separated by commas: ${BUILT_IN_IDS.join(', ')}. A mount that is named here is not dormant.`,
  }),
  noMounts: listField().meta({
    changesListing: true,
    placeholder: 'IDS',
    description: 'Mounts to leave out, separated by commas.',
  }),
  demo: flagField('Mount manictime with demo data, to try it without ManicTime.').meta({
    changesListing: true,
  }),
};

/** How `deskside stdio` uses the desk. `attach/arguments.ts` reads them before everything else is loaded. */
const attachFields = {
  as: z.string().optional().meta({
    placeholder: 'NAME',
    description: 'Name of this client in popups, logs and "deskside status", for example "left screen".',
  }),
  profile: z.string().min(1).optional().meta({
    changesListing: true,
    placeholder: 'NAME',
    description: 'Profile that selects the mounts and tools for this client.',
  }),
  attachTimeout: z
    .string()
    .regex(/^\d+(?:\.\d+)?$/, 'use a number of seconds')
    .default(String(ATTACH_TIMEOUT_SECONDS))
    .meta({
      placeholder: 'SECONDS',
      description: 'How long the start waits for the desk. After it this process serves the client alone.',
    }),
  standalone: flagField(
    'Serve this client alone, without the desk. Flags of mounts and of the log do the same.',
  ),
};

export const configOptions = defineOptions('DESKSIDE', configFields);
export const mountOptions = defineOptions('DESKSIDE', mountFields);
export const stdioOptions = defineOptions('DESKSIDE', { ...attachFields, ...mountFields, ...logFields });
export const deskOptions = defineOptions('DESKSIDE', {
  ...mountFields,
  secret: listenFields.secret,
  ...logFields,
});
export const httpOptions = defineOptions('DESKSIDE', { ...mountFields, ...listenFields, ...logFields });
export const tokenOptions = defineOptions('DESKSIDE', { token: listenFields.token });

/** The file that the environment names, for a command without `--config`. */
export function configIn(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return readOptions(configOptions, { flags: {}, env }).config;
}
