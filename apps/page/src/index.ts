export { DeskPage } from './desk-page.ts';
export { Feed } from './feed.ts';
export { type HttpClient, HttpClients } from './http-clients.ts';
export { LateInbox } from './late-inbox.ts';
export { LINK_MS, PageAuth } from './page-auth.ts';
export { Phone, type PhoneSettings } from './phone/phone.ts';
