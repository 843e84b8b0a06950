import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type ServerDefinition, silentLog } from '@deskside/core';
import { openJournal, type ItemStart } from '@deskside/desktop';
import { fixedClock } from '@deskside/core/testing';
import { connectInProcess, LEGS, recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { createAggregator } from '@deskside/gateway';
import { doctor } from '../commands/doctor.ts';
import { log } from '../commands/log.ts';
import { quiet } from '../commands/quiet.ts';
import { status } from '../commands/status.ts';
import { runCommand, SELF } from '../testing/commands.ts';
import { userHome } from '../testing/user-home.ts';
import { namedServer } from '@deskside/gateway/testing/servers';
import { HttpClients } from '@deskside/page';

/** A user with an empty state folder. */
function home(): string {
  const { folder } = userHome();
  mkdirSync(join(folder, 'state'));
  vi.stubEnv('TZ', 'Asia/Kolkata');
  return join(folder, 'state/deskside');
}

function openAt(state: string) {
  const clock = fixedClock('2026-11-22T10:00:00Z');
  const journal = openJournal({ places: { state, runtime: [] }, log: silentLog, clock });
  return { journal, pass: clock.advance };
}

const by = (caller: string, more: Partial<ItemStart> = {}): ItemStart => ({
  kind: 'call',
  caller,
  user: 'owner',
  mount: 'todo',
  tool: 'add_task',
  ...more,
});

test.each(LEGS)('every call is recorded without its arguments in the $era era over $over', async (leg) => {
  const failing: Partial<ServerDefinition> = {
    callTool: async (name) => {
      if (name === 'throw') throw new Error('disk on fire');
      return name === 'ping' ? { content: [], isError: true } : undefined;
    },
  };
  const state = home();
  await using journal = openAt(state).journal;
  const { routes } = await createAggregator({
    mounts: [
      { id: 'good', definition: namedServer('good') },
      { id: 'bad', definition: { ...namedServer('bad'), ...failing } },
    ],
    journal,
  });
  for (const [path, prefix] of [
    ['/mcp', 'bad_'],
    ['/mcp/bad', ''],
  ] as const) {
    const definition = routes.get(path);
    await using peer = await connectInProcess(definition ?? namedServer('none'), leg);
    if (path === '/mcp') await peer.callTool('good_ping', { secret: 'no' });
    await peer.callTool(`${prefix}ping`, { secret: 'no' });
    await expect(peer.callTool(`${prefix}throw`)).rejects.toThrow('Internal error');
    await expect(peer.callTool(`${prefix}missing`)).rejects.toThrow('Unknown tool');
  }
  const made = [
    { mount: 'bad', tool: 'ping', outcome: 'error' },
    { mount: 'bad', tool: 'throw', outcome: 'failed' },
    { mount: 'bad', tool: 'missing', outcome: 'unknown' },
  ];
  const records = await journal.records();
  expect(records).toMatchObject([{ mount: 'good', tool: 'ping', outcome: 'ok' }, ...made, ...made]);
  expect(records[0]).toMatchObject({
    kind: 'call',
    user: 'owner',
    caller: expect.stringMatching(/^test/),
    ms: expect.any(Number),
  });
  expect(JSON.stringify(records)).not.toContain('secret');
  const overHttp = new HttpClients().add(records).present(new Date('2026-11-22T10:00:00Z'));
  expect(overHttp.map(({ openCalls }) => openCalls)).toEqual(
    leg.over === 'http' ? expect.arrayContaining([0]) : [],
  );
});

async function json(flags: Record<string, string | boolean>): Promise<readonly unknown[]> {
  const { stdout } = await runCommand(log, { flags: { json: true, ...flags } });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line));
}

test('deskside log prints records with what was said for people and as JSON, and filters them', async () => {
  const state = home();
  expect((await runCommand(log, { flags: { json: true } })).stdout).toBe('');
  const opened = openAt(state);
  await using journal = opened.journal;
  const call = journal.begin(by('Claude Code · shop', { project: 'shop' }));
  opened.pass(12);
  call.end('ok');
  const content = { text: `Keep the route?\n${'It is old. '.repeat(20)}`, folder: '/srv/shop' };
  const question = journal.begin(
    by('codex\u202E', { kind: 'question', mount: 'popup', tool: 'notify', content }),
  );
  opened.pass(157_226);
  question.end('answered', 'window', 'Yes\u202E\nfor now');
  const news = by('cursor · infra', { kind: 'news', mount: undefined, tool: undefined, project: 'infra' });
  journal.begin({ ...news, content: { text: 'Done' } });
  const approval = { kind: 'approval', display: ':7', content: { text: 'Run shop › pay?' } } as const;
  const asked = by('cursor · infra', approval);
  journal.begin(asked).end('denied', 'page', 'too much');
  const records = await journal.records();
  expect((await runCommand(log)).stdout.split('\n')).toEqual([
    '2026-11-22 15:30:00  Claude Code · shop        ✓ call todo add_task          ok, 12 ms',
    String.raw`2026-11-22 15:30:00  codex\u{202e}             ✓ question popup notify       answered after 2 min 37 s`,
    `          Keep the route? ${'It is old. '.repeat(20).slice(0, 144)}…`,
    String.raw`          answer: Yes\u{202e} for now`,
    '2026-11-22 15:32:37  cursor · infra            ! news                        open',
    '          Done',
    '2026-11-22 15:32:37  cursor · infra            ! approval todo add_task      denied after 0 ms (asked on :7)',
    '          Run shop › pay?',
    '          denied: too much',
    '',
  ]);
  const full = (await runCommand(log, { flags: { full: true, kind: 'question' } })).stdout;
  expect(full).toContain(`\n          ${'It is old. '.repeat(20)}\n`);
  expect(full).toContain('\n          for now\n');
  expect(await json({})).toEqual(JSON.parse(JSON.stringify(records)));
  expect((await runCommand(log, { flags: { json: true } })).stdout).not.toContain('\u202E');
  expect(await json({ limit: '1', kind: 'news' })).toMatchObject([
    { kind: 'news', asked: '2026-11-22T15:32:37.238+05:30', content: { text: 'Done' } },
  ]);
  expect(await json({ agent: 'claude' })).toMatchObject([{ project: 'shop' }]);
  expect(await json({ project: 'infra' })).toMatchObject([{ kind: 'news' }]);
  expect(await json({ kind: 'question' })).toMatchObject([{ outcome: 'answered' }]);
  expect((await runCommand(log, { flags: { kind: 'answer' } })).stderr).toContain('use one of question');
  expect(
    (await runCommand(log, { flags: { calls: true } })).stdout.match(/todo add_task|popup notify|news/g),
  ).toEqual(['todo add_task', 'popup notify']);
});

test('following prints when an item begins and how it ends, and each only once', async () => {
  const opened = openAt(home());
  await using journal = opened.journal;
  const context = recordedContext();
  const running = log.run({ follow: true }, context);
  const printed = () => context.written.output.trim().split('\n');
  const item = journal.begin(by('codex', { kind: 'question' }));
  opened.pass(10);
  const begun = expect.stringMatching(/ codex .* open$/);
  await expect.poll(printed).toEqual([begun]);
  // Nothing is printed for this change.
  item.shown();
  opened.pass(10);
  journal.begin(by('claude', { kind: 'question' }));
  opened.pass(10);
  const later = expect.stringMatching(/ claude .* open$/);
  await expect.poll(printed).toEqual([begun, later]);
  item.end('answered', 'window');
  opened.pass(10);
  await expect.poll(printed).toEqual([begun, later, expect.stringMatching(/ codex .* answered after /)]);
  context.close();
  await running;
  expect(printed()).toHaveLength(3);
});

test('with a folder in the place of the database, log, status, quiet and doctor say where the items are', async () => {
  const state = home();
  const temporary = temporaryFolder();
  for (const variable of ['XDG_RUNTIME_DIR', 'TMPDIR']) vi.stubEnv(variable, temporary);
  mkdirSync(join(state, 'desk.sqlite'), { recursive: true, mode: 0o700 });
  const said = `What happens is stored in ${join(temporary, 'deskside/desk.sqlite')} until the machine restarts: ${state}`;
  for (const command of [log, status(SELF), quiet])
    expect((await runCommand(command)).stderr).toContain(said);
  const examined = await runCommand(doctor(SELF), { flags: { mounts: 'todo' } });
  expect(examined).toMatchObject({ code: 1, stdout: expect.stringContaining(said) });
});

test('log --calls shows a call once that the person has allowed', async () => {
  const state = home();
  await using journal = openAt(state).journal;
  const pay = { mount: 'shop', tool: 'pay' };
  journal.begin(by('codex', { ...pay, kind: 'approval' })).end('allowed', 'window');
  journal.begin(by('codex', pay)).end('ok');
  await journal.records();
  expect((await runCommand(log, { flags: { calls: true } })).stdout.match(/\w+ +shop pay/g)).toEqual([
    expect.stringMatching(/^call/),
  ]);
});
