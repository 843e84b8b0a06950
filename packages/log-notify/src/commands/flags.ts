import { logNotifyOptions } from '../options.ts';

const { config, file, filter } = logNotifyOptions.schema.shape;

/** What all commands share with the server: which configuration and which file. */
export const sharedFlags = { config, file };

export const filterFlag = filter;
