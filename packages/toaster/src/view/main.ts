import { connectApp, fields, type Params } from '@deskside/core/app';
import { create } from '../card/dom.ts';
import { escapeNotification, type Notification } from '../notification/notification.ts';
import { createView } from './view.ts';

const root = create('main');
/** A live region is only read out if it exists before its content. */
const region = create('p', { class: 'unseen', role: 'status' });

const view = createView(root, region, async (prompt) => {
  const message = { role: 'user', content: [{ type: 'text', text: prompt }] };
  return host.request('ui/message', message).then(
    ({ isError }) => isError !== true,
    () => false,
  );
});

const host = connectApp(window, { name: 'deskside-toast', version: '1.0.0' }, onMessage);

function onMessage(method: string, params: Params): void {
  if (method === 'ui/notifications/tool-result') showResult(params);
  else if (method === 'ui/notifications/tool-cancelled') view.showText('The notification was cancelled.');
  else if (method === 'ui/notifications/host-context-changed') applyContext(params);
  else if (method === 'ui/resource-teardown') view.collapse();
}

function showResult(params: Params): void {
  const notification = readResult(params);
  if (notification) view.show(notification);
  else view.showText(`No notification was shown. ${reasonOf(params)}`);
}

/**
 * The notification of the tool's result, with its texts escaped. Our own server has validated it: the only other results
 * are errors, which have no notification.
 */
function readResult({ structuredContent, content }: Params): Notification | undefined {
  const { notification } = fields(structuredContent ?? parseFirstText(content));
  return isNotification(notification) ? escapeNotification(notification) : undefined;
}

/** The error of the tool, for example that it is called too often. */
function reasonOf({ content }: Params): string {
  const { error = '' } = fields(parseFirstText(content));
  return String(error);
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

const fonts = create('style');

/** Applies the host's theme, language, style variables, fonts and safe area. */
function applyContext({ theme, locale, styles, safeAreaInsets }: Params): void {
  const { style } = root;
  // Screen readers read the texts, which an agent wrote for this person, in this language.
  if (typeof locale === 'string') document.documentElement.lang = locale;
  // On the root element it would paint the page behind the card.
  if (typeof theme === 'string') style.colorScheme = theme;
  const { variables, css } = fields(styles);
  for (const [name, value] of Object.entries(fields(variables))) {
    if (name.startsWith('--')) style.setProperty(name, String(value));
  }
  const { fonts: fontFaces = fonts.textContent } = fields(css);
  fonts.textContent = String(fontFaces);
  for (const [side, inset] of Object.entries(fields(safeAreaInsets))) {
    document.body.style.setProperty(`padding-${side}`, `${Number(inset) + 2}px`);
  }
}

document.body.append(fonts, region, root);
const { hostContext } = await host.ready;
applyContext(fields(hostContext));
new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect();
  host.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.body);
