import { readFileSync } from 'node:fs';
import type { JournalRecord } from '@deskside/desktop';
import {
  connectHttp,
  connectStdio,
  type Peer,
  signalAll,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { ask, connectAsking } from '../testing/asking-agent.ts';
import { log } from '../commands/log.ts';
import { status } from '../commands/status.ts';
import { tokenCreate } from '../commands/token.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { deskHome } from '../testing/desk-home.ts';
import { filesBelow } from '../testing/files-below.ts';
import { userHome } from '../testing/user-home.ts';

const TOKEN = 'a-long-enough-token';

/** Of the user of this process. */
async function recordsOf(flags: Readonly<Record<string, string>> = {}): Promise<readonly JournalRecord[]> {
  const { stdout } = await runCommand(log, { flags: { ...flags, json: true } });
  const lines = stdout.split('\n').slice(0, -1);
  return lines.map((line): JournalRecord => JSON.parse(line));
}

const add = async (peer: Peer) => peer.callTool('todo_add_task', { user_id: 'me', title: 'Milk' });

test('the log has one record per item of several agents, also after the desk and an agent were killed', async () => {
  const desk = deskHome();
  userHome(desk.home);
  await using program = startProgram(desk.command(['http', '--port', '0'], { DESKSIDE_TOKEN: TOKEN }));
  const [, url = ''] = await program.printed(/serves MCP at (\S+)/);
  await program.printed(/Clients send/);
  await using laptop = await connectHttp(url, {
    era: 'modern',
    token: (await runCommand(tokenCreate, { flags: { yes: true }, operands: ['laptop'] })).stdout.trim(),
  });
  const agent = (name: string, project: string) =>
    desk.client(['--as', name], { CLAUDE_PROJECT_DIR: `/srv/${project}` });
  await using reporting = await connectStdio(agent('codex', 'infra'), { era: 'modern' });
  const asking = await connectAsking(agent('claude', 'web-shop'));
  const killed = await connectAsking(agent('doomed', 'web-shop'));
  const waiting = await connectAsking(agent('waiting', 'billing'));

  const question = ask(asking.peer);
  await asking.asked;
  await reporting.callTool('log_notify', { message: 'The state is locked', level: 'error' });
  await reporting.callTool('toast_show_notification', { message: 'Done', severity: 'success' });
  await add(laptop);
  await laptop.callTool('todo_complete_task', { user_id: 'me', task_id: 99 });

  expect(JSON.parse((await runCommand(status(SELF), { flags: { json: true } })).stdout)).toMatchObject({
    httpClients: [{ label: expect.stringContaining('laptop'), openCalls: 0 }],
    open: [{ kind: 'question', project: 'web-shop', token: 'claude', mount: 'popup', tool: 'notify' }],
  });
  const { stdout: shown } = await runCommand(status(SELF));
  expect(shown).toMatch(/ {2}.*laptop, HTTP, last call \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/m);
  expect(shown).toMatch(/^Open now:\n {2}\d\d:\d\d:\d\d {2}.*claude.* ! question popup notify +open$/m);
  expect(shown).not.toMatch(/\d{4}-\d\d-\d\dT/);
  asking.answer('The blue one');
  await question;

  void ask(killed.peer).catch(() => undefined);
  await killed.asked;
  const doomed = (await desk.status()).sessions.filter(({ name }) => name === 'doomed');
  signalAll(
    'SIGKILL',
    doomed.map(({ pid }) => pid),
  );
  await expect
    .poll(async () => recordsOf({ agent: 'doomed' }))
    .toMatchObject([{ outcome: expect.any(String) }]);

  void ask(waiting.peer).catch(() => undefined);
  await waiting.asked;
  // The client can have the question before the record is stored.
  const open = () => recordsOf({ agent: 'waiting' });
  await expect.poll(open).toHaveLength(1);
  expect(await open()).not.toHaveProperty('0.outcome');
  program.child.kill('SIGKILL');
  await program.exited;

  const [created, ...records] = await recordsOf();
  // The token.
  expect(created).toMatchObject({ kind: 'approval', caller: 'deskside token create', outcome: 'allowed' });
  expect(created?.content?.text).toContain('laptop');
  expect(records).toMatchObject([
    { token: 'claude', project: 'web-shop', kind: 'question', outcome: 'answered', via: 'form' },
    { token: 'codex', project: 'infra', kind: 'notification', mount: 'log', outcome: 'stored' },
    { token: 'codex', project: 'infra', kind: 'notification', mount: 'toast', outcome: 'ok' },
    { token: 'laptop', project: 'laptop', kind: 'call', mount: 'todo', tool: 'add_task', outcome: 'ok' },
    { token: 'laptop', kind: 'call', tool: 'complete_task', outcome: 'error' },
    { token: 'doomed', project: 'web-shop', kind: 'question', outcome: 'withdrawn' },
    { token: 'waiting', project: 'billing', kind: 'question', outcome: 'interrupted' },
  ]);
  for (const { user, asked, caller, token } of records) {
    expect(user).toBe('owner');
    expect(asked).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    expect(caller.toLowerCase()).toContain(token);
  }
  expect(await recordsOf({ project: 'infra', kind: 'notification' })).toHaveLength(2);
  expect(records[0]?.content).toMatchObject({ text: 'Which one?', answer: 'The blue one' });
  expect(records[1]?.content).toStrictEqual({ text: 'The state is locked', level: 'error' });
  // Of a call no arguments and no answer.
  expect(JSON.stringify(records)).not.toContain('Milk');
  for (const { peer } of [asking, waiting]) await peer[Symbol.asyncDispose]();
});

const NO_HISTORY = { NOTIFY_POPUP_HISTORY: 'false', LOG_NOTIFY_HISTORY: 'false', UI_TOAST_HISTORY: 'false' };

test.each([
  ['with a history every text is found in a file below the home folder', {}],
  ['without a history no file below the home folder contains a text, also while deliveries wait', NO_HISTORY],
])('%s, and who did what is recorded', async (_title, settings) => {
  const words = { message: 'Zanzibar', answer: 'quagmire', notification: 'marzipan', toast: 'kerfuffle' };
  const desk = deskHome();
  userHome(desk.home);
  const temporary = { TMPDIR: temporaryFolder() };
  // Nothing listens there.
  const env = { ...settings, ...temporary, LOG_NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:1/' };
  const agent = await connectAsking(desk.command(['stdio', '--standalone'], env));
  const question = agent.peer.callTool('popup_notify', { message: words.message });
  await agent.asked;
  agent.answer(words.answer);
  await question;
  await agent.peer.callTool('log_notify', { message: words.notification, level: 'error' });
  await agent.peer.callTool('toast_show_notification', { message: words.toast, severity: 'success' });
  await agent.peer[Symbol.asyncDispose]();
  const texts = filesBelow(desk.home).map((file) => readFileSync(file));
  const found = Object.values(words).filter((word) => texts.some((text) => text.includes(word)));
  expect(found).toStrictEqual(settings === NO_HISTORY ? [] : Object.values(words));
  expect(await recordsOf()).toMatchObject([
    { kind: 'question', outcome: 'answered' },
    { kind: 'notification', outcome: expect.any(String), mount: 'log' },
    { kind: 'notification', outcome: 'ok', mount: 'toast' },
  ]);
});
