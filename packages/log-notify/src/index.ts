export type { Receipt } from './delivery/receipt.ts';
export type { Reason } from './delivery/sink-delivery.ts';
export { type LogNotify, openLogNotify } from './log-notify.ts';
export type { Level, NotificationInput } from './notification/notification.ts';
export { type LogNotifyOptions, logNotifyOptions } from './options.ts';
export { logNotifyServer } from './server.ts';
export type { ConfiguredSink } from './sinks/define-sink.ts';
export { logNotifyTools } from './tools/index.ts';

/** Loads what finds the file of the notifications that a configuration names. */
export const loadNotificationsFile = async () =>
  (await import('./config/config-file.ts')).notificationsFileIn;
