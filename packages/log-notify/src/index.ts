export { notificationsFileIn } from './config/config-file.ts';
export type { Receipt } from './delivery/receipt.ts';
export type { Reason } from './delivery/sink-queue.ts';
export { type LogNotify, openLogNotify } from './log-notify.ts';
export type { Level, NotificationInput } from './notification/notification.ts';
export { CLEANUP_MS, type LogNotifyOptions, logNotifyOptions } from './options.ts';
export { logNotifyServer } from './server.ts';
export type { ConfiguredSink } from './sinks/define-sink.ts';
export { logNotifyTools } from './tools/index.ts';
