export type { Reason } from './delivery/policy.ts';
export type { Receipt } from './delivery/switchboard.ts';
export { type LogNotify, openLogNotify } from './log-notify.ts';
export type { Level } from './message/levels.ts';
export type { Spoken } from './message/notification.ts';
export { type LogNotifyOptions, logNotifyOptions } from './options.ts';
export { logNotifyServer } from './server.ts';
export { logNotifyTools } from './tools/index.ts';
