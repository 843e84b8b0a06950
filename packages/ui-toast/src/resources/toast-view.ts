import type { Resource } from '@deskside/core';
import type { UiToast } from '../ui-toast.ts';
import { toastPage } from './toast-page.ts';

export const TOAST_VIEW_URI = 'ui://deskside/toast.html';

const mimeType = 'text/html;profile=mcp-app';
/** No network, no permissions: the defaults. The card brings its own border. */
const meta = { ui: { prefersBorder: false } };

/** The view that MCP Apps hosts show in the chat beside the call. */
export const toastView: Resource<UiToast> = {
  uri: TOAST_VIEW_URI,
  name: 'toast',
  title: 'Notification',
  description: 'Shows one notification in the chat, with its actions',
  mimeType,
  _meta: meta,
  read: () => [{ uri: TOAST_VIEW_URI, mimeType, body: toastPage, meta }],
};
