import { combineOptions, defineOptions, listenFields, listField, logFields } from '@deskside/core/cli';
import { z } from 'zod';
import { defaultConfigFile } from './config/load.ts';
import { BUILT_IN_IDS } from './mounts/built-in.ts';

/** Which configuration file is read. */
export const configOptions = defineOptions('DESKSIDE', {
  config: z
    .string()
    .min(1)
    .optional()
    .meta({
      placeholder: 'FILE',
      defaultText: "deskside.toml in the user's configuration folder",
      defaultPath: () => defaultConfigFile(),
      description: 'TOML file with mounts, their settings and profiles. Changes wait for "deskside apply".',
    }),
});

/** Which mounts are opened. */
export const mountOptions = combineOptions(
  configOptions,
  defineOptions('DESKSIDE', {
    mounts: listField().meta({
      placeholder: 'IDS',
      defaultText: 'all',
      description: `Mounts to open, separated by commas: ${BUILT_IN_IDS.join(', ')}. A mount that is named here is not dormant.`,
    }),
    noMounts: listField().meta({
      placeholder: 'IDS',
      description: 'Mounts to leave out, separated by commas.',
    }),
  }),
);

export const stdioOptions = combineOptions(
  mountOptions,
  defineOptions('DESKSIDE', {
    profile: z
      .string()
      .min(1)
      .optional()
      .meta({ placeholder: 'NAME', description: 'Serve only the mounts and tools of this profile.' }),
    ...logFields,
  }),
);
export const httpOptions = combineOptions(
  mountOptions,
  defineOptions('DESKSIDE', { ...listenFields, ...logFields }),
);
export const tokenOptions = defineOptions('DESKSIDE', { token: listenFields.token });
