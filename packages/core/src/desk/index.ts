/**
 * One process per user holds something, and others talk to it over lines: what the desk and the popup's queue are made
 * of. Only they use it.
 */
export { type Greeting, greet } from './greet.ts';
export { hold, type Holding, type HoldOptions, publish } from './holder.ts';
export { exchangeLines, Lines, parseObject, sendLine } from './lines.ts';
export {
  type HolderPlace,
  type HolderRecord,
  type Latest,
  latestRecord,
  openPlace,
  recordFile,
} from './record.ts';
