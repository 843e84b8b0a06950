export { popupOptions, type PopupOptions } from './options.ts';
export { openPopup, type Popup } from './notify-popup.ts';
export { popupServer } from './server.ts';
export { popupTools } from './tools/index.ts';
export type { Inbox } from './service/inbox.ts';
export type { InboxCaller, InboxRequest } from './service/inbox-entry.ts';
export type { PopupOutcome } from './service/popup-state.ts';
