import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bothWays, type Row } from '../testing/real-server.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const PAGES: Readonly<Record<string, string>> = {
  '/': `<!doctype html><link rel="icon" href="data:,"><title>Shop</title><h1>Shop</h1>
    <label>Name <input id="name"></label>
    <label>Size <select id="size"><option>S<option>M<option>L</select></label>
    <label>File <input id="file" type="file"></label>
    <button id="ask" onclick="confirm('Sure?')">Ask</button>
    <div id="from" draggable="true">Drag</div><div id="to" ondragover="event.preventDefault()">Drop</div>
    <a href="/list">List</a>`,
  '/list': `<!doctype html><link rel="icon" href="data:,"><title>List</title><ul>${'<li>Zeile mit Ümläuten und einem Emoji 🎉'.repeat(1000)}</ul>
    <script>console.warn('careful'); fetch('/data?a=1').then(() => document.body.append('Loaded'))</script>`,
  '/data': '{"ok":true}',
};

/** The pages on this machine, until the test ends. */
async function servedPages(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const page = PAGES[url.replace(/\?.*$/, '')];
    response.sendDate = false;
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
}

const call = (name: string, args: Readonly<Record<string, unknown>> = {}): Row => [
  'tools/call',
  { name: `browser_${name}`, arguments: args },
];

function rowsAt(origin: string): readonly Row[] {
  return [
    call('navigate', { url: `${origin}/` }),
    call('resize', { width: 800, height: 600 }),
    call('snapshot'),
    call('find', { text: 'shop' }),
    call('type', { target: '#name', text: 'Ada \u{1f389}' }),
    call('press_key', { key: 'Tab' }),
    call('fill_form', { fields: [{ name: 'Name', type: 'textbox', target: '#name', value: 'Bob' }] }),
    call('select_option', { target: '#size', values: ['L'] }),
    call('hover', { target: '#ask' }),
    call('click', { target: '#ask' }),
    call('handle_dialog', { accept: true }),
    call('click', { target: '#file' }),
    call('file_upload', {}),
    call('drag', { startTarget: '#from', endTarget: '#to' }),
    call('drop', { target: '#to', data: { 'text/plain': 'text' } }),
    call('evaluate', { function: '() => ({ title: document.title, list: [1, null] })' }),
    call('run_code_unsafe', { code: 'async (page) => page.title()' }),
    call('emulate_media', { colorScheme: 'dark' }),
    call('take_screenshot'),
    call('take_screenshot', { type: 'jpeg', fullPage: true }),
    call('navigate', { url: `${origin}/list` }),
    call('wait_for', { text: 'Loaded' }),
    call('snapshot'),
    call('console_messages', { level: 'debug' }),
    call('network_requests', { static: true }),
    call('network_request', { index: 1 }),
    call('navigate_back'),
    call('wait_for', { text: 'Shop' }),
    call('tabs', { action: 'list' }),
    call('click', { target: '#missing' }),
    call('close'),
  ];
}

/** Names of files that the server writes contain the time; a request has a duration. */
const VARYING = /\d{4}-\d\d-\d\dT[\d-]+Z|duration: +\d+ms/g;

test.skipIf(!existsSync(CHROMIUM))(
  'every answer of playwright-mcp with a browser has the bytes of the direct answer',
  async () => {
    const { direct, through } = await bothWays({
      packageName: '@playwright/mcp',
      bin: 'cli.js',
      era: 'legacy',
      args: (folder) => [
        '--headless',
        '--isolated',
        '--no-sandbox',
        '--executable-path',
        CHROMIUM,
        '--output-dir',
        join(folder, 'output'),
      ],
      env: (folder) => ({ HOME: folder }),
      rows: rowsAt(await servedPages()),
      varying: VARYING,
    });
    expect(through).toStrictEqual(direct);
  },
);
