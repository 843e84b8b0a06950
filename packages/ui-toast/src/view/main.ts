import { create } from '../card/create.ts';
import type { Notification } from '../notification/notification.ts';
import { answered } from './answered.ts';
import { fields, Host, type Params } from './host.ts';
import { View } from './view.ts';

/** There before anything is said in it, so that it is read out. */
const root = create('main', { 'aria-live': 'polite' });
let canSend = false;

const host = new Host((method, params) => {
  if (method === 'ui/notifications/tool-result') show(answered(params));
  else if (method === 'ui/notifications/tool-cancelled') view.say('The notification was cancelled.');
  else if (method === 'ui/notifications/host-context-changed') follow(params);
  else if (method === 'ui/resource-teardown') view.stop();
});

const view = new View(root, async (prompt) => {
  if (!canSend) return false;
  const message = { role: 'user', content: [{ type: 'text', text: prompt }] };
  return host.request('ui/message', message).then(
    ({ isError }) => isError !== true,
    () => false,
  );
});

function show(notification: Notification | undefined): void {
  if (notification === undefined) view.say('No notification was shown.');
  else view.show(notification);
}

/** Looks as the host does, as far as it says how. */
function follow(context: Params): void {
  const { style } = document.documentElement;
  const { theme, styles } = context;
  if (typeof theme === 'string') style.colorScheme = theme;
  for (const [name, value] of Object.entries(fields(fields(styles)['variables']))) {
    if (name.startsWith('--')) style.setProperty(name, String(value));
  }
}

document.body.append(root);
const { hostCapabilities, hostContext } = await host.connect();
canSend = fields(hostCapabilities)['message'] !== undefined;
follow(fields(hostContext));
new ResizeObserver(() => {
  const { width, height } = document.body.getBoundingClientRect();
  host.notify('ui/notifications/size-changed', { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.body);
