import { logNotifyOptions } from '../options.ts';

const { config: serversConfig, file, filter } = logNotifyOptions.schema.shape;

const config = serversConfig.meta({
  ...serversConfig.meta(),
  description: "TOML file with filters and sinks, as the server's.",
});

/** What all commands share with the server: which configuration and which file. */
export const sharedFlags = { config, file };

export const filterFlag = filter;
