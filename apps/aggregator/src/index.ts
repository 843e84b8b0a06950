export { type Aggregator, type AggregatorOptions, createAggregator } from './aggregator.ts';
export { type BuiltInOptions, type MountSettings, openBuiltIn, type OpenMounts } from './mounts/built-in.ts';
export { type Mount, mountFields, type MountState, type MountStatus } from './mounts/mount.ts';
export type { MountModule } from './mounts/modules.ts';
export { httpOptions, stdioOptions } from './options.ts';
export type { Profile } from './profiles/profile.ts';
export { serveAggregator, type ServeAggregatorOptions, type ServedAggregator } from './serve.ts';
