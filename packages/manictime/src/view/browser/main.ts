import { type AppConnection, connectApp, fields, type Params } from '@deskside/core/app';
import { barOf } from './bars.ts';

const main = document.querySelector('main') ?? document.body;

let app: AppConnection | undefined;

async function callTool(name: string, args: Params): Promise<Params> {
  return app === undefined ? {} : app.request('tools/call', { name, arguments: args });
}

/** The prefix of a mount, which the name of the tool that opened the view has too. */
let prefix = '';

async function showDay({ structuredContent, content }: Params): Promise<void> {
  const { startDate } = fields(structuredContent ?? parseText(content));
  if (typeof startDate !== 'string') return say('There is no day to show.');
  try {
    const result = await callTool(`${prefix}render_day`, { date: startDate });
    const { html } = fields(result['structuredContent'] ?? parseText(result['content']));
    if (typeof html !== 'string') return say('The day could not be loaded.');
    // Our own server made it and escaped every text in it.
    main.innerHTML = html;
  } catch {
    say('This host does not let the view load the day.');
  }
}

function parseText(content: unknown): unknown {
  const [block] = Array.isArray(content) ? content : [];
  try {
    return JSON.parse(String(fields(block)['text']));
  } catch {
    return undefined;
  }
}

function say(text: string): void {
  main.textContent = text;
}

/** On request only: a screenshot of the time of a bar. */
document.addEventListener('click', ({ target }) => {
  const bar = barOf(target);
  if (bar !== null && app !== undefined) void showScreenshot(bar);
});

async function showScreenshot(bar: HTMLElement): Promise<void> {
  const { at = '', until = '' } = bar.dataset;
  const details = bar.closest('section')?.querySelector('.details');
  const listed = await callTool(`${prefix}list_screenshots`, { startDate: at, endDate: until, maxCount: 1 });
  const { screenshots } = fields(listed['structuredContent'] ?? parseText(listed['content']));
  const [shot] = Array.isArray(screenshots) ? screenshots : [];
  const { screenshotRef } = fields(shot);
  if (details === null || details === undefined) return;
  if (screenshotRef === undefined) {
    details.textContent = `${bar.ariaLabel ?? ''} No screenshot was taken then, or it is deleted.`;
    return;
  }
  const { content } = await callTool(`${prefix}get_screenshot`, { screenshotRef });
  const image = fields(
    Array.isArray(content) ? content.find((block) => fields(block)['type'] === 'image') : undefined,
  );
  const picture = document.createElement('img');
  picture.alt = 'Screenshot';
  picture.src = `data:image/jpeg;base64,${String(image['data'])}`;
  details.replaceChildren(bar.ariaLabel ?? '', picture);
}

function applyContext({ theme, styles, toolInfo }: Params): void {
  const { style } = document.documentElement;
  if (typeof theme === 'string') style.colorScheme = theme;
  const { variables } = fields(styles);
  for (const [name, value] of Object.entries(fields(variables))) {
    if (name.startsWith('--')) style.setProperty(name, String(value));
  }
  const { name } = fields(fields(toolInfo)['tool']);
  if (typeof name === 'string') prefix = name.replace(/get_daily_summary$/, '');
}

// A report is not in a frame: it has its content already.
if (window.parent !== window) {
  const connection = connectApp(window, { name: 'deskside-day', version: '1.0.0' }, (method, params) => {
    if (method === 'ui/notifications/tool-result') void showDay(params);
    else if (method === 'ui/notifications/tool-cancelled') say('The call was cancelled.');
    else if (method === 'ui/notifications/host-context-changed') applyContext(params);
  });
  app = connection;
  const { hostContext } = await connection.ready;
  applyContext(fields(hostContext));
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    connection.notify('ui/notifications/size-changed', {
      width: Math.ceil(width),
      height: Math.ceil(height),
    });
  }).observe(document.body);
}
