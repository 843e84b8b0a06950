import { create } from '../card/dom.ts';
import { escapeNotification, type Notification } from '../notification/notification.ts';
import { connect, fields, notify, type Params, request } from './host.ts';
import { NotificationView } from './view.ts';

/** A live region is only read out if it exists before its content. */
const root = create('main', { 'aria-live': 'polite' });

const view = new NotificationView(root, async (prompt) => {
  const message = { role: 'user', content: [{ type: 'text', text: prompt }] };
  return request('ui/message', message).then(
    ({ isError }) => isError !== true,
    () => false,
  );
});

function onMessage(method: string, params: Params): void {
  if (method === 'ui/notifications/tool-result') showResult(params);
  else if (method === 'ui/notifications/tool-cancelled') view.showText('The notification was cancelled.');
  else if (method === 'ui/notifications/host-context-changed') applyContext(params);
  else if (method === 'ui/resource-teardown') view.stop();
}

function showResult(params: Params): void {
  const notification = readResult(params);
  if (notification === undefined) view.showText('No notification was shown.');
  else view.show(notification);
}

/**
 * The notification of the tool's result, with its texts escaped. Our own server has validated it: the only other results
 * are errors, which have no notification.
 */
function readResult({ structuredContent, content }: Params): Notification | undefined {
  const { notification } = fields(structuredContent ?? parseFirstText(content));
  return isNotification(notification) ? escapeNotification(notification) : undefined;
}

function isNotification(value: unknown): value is Notification {
  return typeof fields(value)['message'] === 'string';
}

/** Some hosts pass only the text content. */
function parseFirstText(content: unknown): unknown {
  try {
    return JSON.parse(String(Array.isArray(content) ? fields(content[0])['text'] : ''));
  } catch {
    return undefined;
  }
}

/** Applies the host's theme and its style variables. */
function applyContext({ theme, styles }: Params): void {
  const { style } = document.documentElement;
  if (typeof theme === 'string') style.colorScheme = theme;
  for (const [name, value] of Object.entries(fields(fields(styles)['variables']))) {
    if (name.startsWith('--')) style.setProperty(name, String(value));
  }
}

document.body.append(root);
const { hostContext } = await connect(onMessage);
applyContext(fields(hostContext));
new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect();
  notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.body);
