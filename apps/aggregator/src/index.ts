export {
  type Aggregator,
  type AggregatorOptions,
  createAggregator,
  type Mount,
  mountFields,
  type MountState,
  type MountStatus,
  type MountModule,
  type Profile,
} from '@deskside/gateway';
export { type BuiltInOptions, type MountSettings, openBuiltIn, type OpenMounts } from './mounts/built-in.ts';
export { httpOptions, stdioOptions } from './options.ts';
