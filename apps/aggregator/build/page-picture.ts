import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { manictimeServer, openManicTime } from '@deskside/manictime';
import { connectInProcess, firstText, fixedClock } from '@deskside/testkit';
import { launch } from '@deskside/testkit/chromium';

// Takes the picture of the page of the desk: `pnpm pictures`, or `node build/page-picture.ts [--to FOLDER]`. The page is the built
// one; what the desk would send is written here, at a fixed time, so that each run gives the same picture.
const { values } = parseArgs({ options: { to: { type: 'string' } } });
const folder = values.to ?? join(import.meta.dirname, '../../../docs/pictures');
mkdirSync(folder, { recursive: true });
process.env['TZ'] = 'UTC';

const ORIGIN = 'http://desk.example';
const NOW = '2026-11-20T15:30:00Z';
const at = (clock: string) => `2026-11-20T${clock}:00Z`;
const [CLAUDE, CODEX] = ['Claude Code · web-shop', 'Codex · billing'];

const OUTCOMES = { question: 'answered', approval: 'allowed', notification: 'delivered' };

/** What an agent asked or told, and what became of it. */
function said(asked: string, caller: string, kind: keyof typeof OUTCOMES, text: string, answer?: string) {
  const content = { text, answer, outcome: OUTCOMES[kind], ms: 34_000 };
  return { id: `${asked} ${caller}`, asked: at(asked), seen: at(asked), caller, kind, ...content };
}
const calls = (caller: string, mount: string, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const id = `${caller} ${mount} ${index}`;
    return { id, asked: at('09:00'), caller, kind: 'call', mount, outcome: 'ok' };
  });

const records = [
  ...calls(CLAUDE, 'todo', 9),
  ...calls(CLAUDE, 'files', 3),
  ...calls(CODEX, 'todo', 4),
  said('09:12', CODEX, 'question', 'Which branch?', 'main'),
  said('11:05', CODEX, 'approval', 'Codex wants to drop index', 'in this session'),
  said('13:20', CLAUDE, 'question', 'How shall I release version 2.1.0?', 'To 5 % first'),
  said('14:02', CLAUDE, 'notification', 'Released 2.1.0 to 5 % of the users. Error rate: 0.2 %.'),
  { id: 'open', asked: at('15:26'), caller: CODEX, kind: 'question', text: 'When shall I start it?' },
];
const item = {
  id: 'question',
  kind: 'question',
  caller: CODEX,
  title: 'Question',
  asked: at('15:26'),
  isSimple: true,
  options: ['Now', 'Tonight at 23:00'],
  html: '<p>The migration takes <strong>4 minutes</strong>, and the shop is read-only meanwhile. When shall I start it?</p>',
};
const events = [
  { type: 'clients', clients: [CLAUDE, CODEX].map((label) => ({ label, session: label })) },
  { type: 'item', item },
  { type: 'records', records },
  { type: 'ready' },
];
const tasks = {
  tasks: [
    { id: 1, title: 'Ask Maria about the front page', due: '2026-11-21' },
    { id: 2, title: 'Write the notes of 2.1.0', holder: { label: CODEX, until: at('16:00') } },
  ],
  more: 0,
};

await using manictime = openManicTime({ demo: true }, { clock: fixedClock(NOW) });
await using peer = await connectInProcess(manictimeServer(manictime), { era: 'modern', over: 'stdio' });
const day = firstText(await peer.callTool('render_day', { date: 'yesterday' }));
const { html }: { readonly html: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../page/dist/page.json'), 'utf8'),
);
/** The stream stays open, as that of a desk. */
const STREAM = `fetch = ((fetch) => async (path, init) => {
  const response = await fetch(path, init);
  if (path !== '/events') return response;
  const text = await response.text();
  return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) }));
})(fetch);`;

await using browser = await launch();
for (const theme of ['light', 'dark'] as const) {
  const tab = await browser.newPage({
    viewport: { width: 1200, height: 1180 },
    deviceScaleFactor: 1,
    colorScheme: theme,
    // Nothing fades in.
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
  });
  await tab.clock.setFixedTime(NOW);
  await tab.addInitScript(STREAM);
  await tab.route(`${ORIGIN}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    const body = { '/tasks': JSON.stringify(tasks), '/day': day }[pathname];
    return route.fulfill({ body: body ?? events.map((event) => `${JSON.stringify(event)}\n`).join('') });
  });
  await tab.goto(ORIGIN);
  await tab.getByRole('heading', { name: '19 November' }).waitFor();
  await tab.getByText('Ask Maria').waitFor();
  await tab.screenshot({ path: join(folder, `page-${theme}.png`) });
}
