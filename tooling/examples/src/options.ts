import {
  combineOptions,
  defaultOf,
  defineOptions,
  flagForm,
  type Flags,
  integerField,
  listenFields,
  logFields,
  type Options,
  type OptionSources,
  portField,
  readOptions,
  type Setting,
} from '@deskside/core/cli';

/** An additional port, and the settings that every HTTP server has. */
export const gatewayOptions = combineOptions(
  defineOptions('GATEWAY', {
    adminPort: portField(9000).meta({ placeholder: 'PORT', description: 'Port of the admin page.' }),
    workers: integerField(1, 64)
      .default(4)
      .meta({ placeholder: 'COUNT', description: 'Number of processes.' }),
  }),
  defineOptions('DESKSIDE', { ...listenFields, ...logFields }),
);

/** Without `runProgram`: flags, then the environment, then a file, then the default. */
export function portFrom(file: Readonly<Record<string, unknown>>): number {
  const flags: Flags = {};
  const sources: OptionSources = { flags, env: process.env, file };
  return readOptions(gatewayOptions, sources).port;
}

/** For a page of help or documentation. */
export function flagLines({ settings }: Options): string[] {
  const flags = settings.filter(({ flag }: Setting) => flag !== undefined);
  return flags.map(
    (setting) =>
      `${flagForm(setting)} (${setting.env ?? 'no variable'}), default ${defaultOf(setting) ?? 'none'}`,
  );
}
