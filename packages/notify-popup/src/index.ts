export { popupOptions, type PopupOptions } from './options.ts';
export { openOnDesktop, openPopup, type Popup } from './notify-popup.ts';
export { popupServer } from './server.ts';
export { popupTools } from './tools/index.ts';
export type { Inbox, InboxChange } from './service/inbox.ts';
export type { ClientForm, InboxCaller, InboxItem, InboxRequest } from './service/inbox-request.ts';
export type { Answer, PopupOutcome, Surface } from './service/popup-state.ts';
export type { Approval, ApprovalCall, Scope } from './service/approval.ts';
export type { Review, ReviewLine, ReviewPart } from './service/review.ts';
