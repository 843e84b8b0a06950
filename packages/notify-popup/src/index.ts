export { popupOptions, type PopupOptions } from './options.ts';
export { loadMessageRenderer, openOnDesktop, openPopup, type Popup } from './notify-popup.ts';
export { popupServer } from './server.ts';
export { popupTools } from './tools/index.ts';
export type { Inbox } from './service/inbox.ts';
export type {
  ClientForm,
  InboxCaller,
  InboxChange,
  InboxItem,
  InboxRequest,
} from './service/inbox-request.ts';
export type { Answer, PopupOutcome, Surface } from './service/popup-state.ts';
export type { Approval, ApprovalCall, Scope } from './service/approval.ts';
export { decisionWords, equalWords, foldOf, scopeWords } from './service/approval-words.ts';
export { previewOf } from './service/preview.ts';
export type { ButtonWords, Fold } from './service/approval-words.ts';
export type { Review, ReviewLine, ReviewPart } from './service/review.ts';
