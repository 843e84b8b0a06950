export { type Aggregator, type AggregatorOptions, createAggregator } from './aggregator.ts';
export { openBuiltIn, type OpenMounts } from './mounts/built-in.ts';
export { httpOptions } from './options.ts';
export type { Mount } from './mounts/mount.ts';
