import { silentLog } from '@deskside/core';
import { openUserJournal } from '@deskside/desktop';
import { testContext } from '@deskside/core/testing';
import { firstText } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { openDesk } from '../open-desk.ts';
import { type RunOptions, runCommand, SELF } from '../testing/commands.ts';
import { type ForeignTool, foreignServer } from '@deskside/gateway/testing/foreign-server';
import { userHome } from '../testing/user-home.ts';
import { tokenStore } from '../tokens/tokens.ts';
import { add } from './add.ts';
import { apply } from './apply.ts';
import { list } from './list.ts';
import { rules, rulesAllow, rulesDeny, rulesRemove } from './rules.ts';

const inputSchema = { type: 'object' } as const;
const read: ForeignTool = { name: 'read', inputSchema, annotations: { readOnlyHint: true } };
const send: ForeignTool = {
  name: 'send',
  inputSchema,
  annotations: { destructiveHint: false, openWorldHint: true },
};
const pay: ForeignTool = { name: 'pay', inputSchema, annotations: { destructiveHint: true } };
const yes = { flags: { yes: true } };

/** A user with two mounts of one shop. */
async function shops() {
  const user = userHome();
  const shop = await foreignServer([read, send, pay]);
  for (const id of ['shop', 'other']) await runCommand(add, { ...yes, operands: [id, shop.url] });
  return { ...user, shop };
}

const allow = (operands: readonly string[], options: Omit<RunOptions, 'operands'> = {}) =>
  runCommand(rulesAllow, { operands, typed: 'y\n', ...options });
const PAY = { flags: { arguments: '{"to":"ada","amount":5}' } };

interface CallOptions {
  readonly mount?: string;
  readonly tool?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly token?: string;
  readonly user?: string;
  readonly transport?: 'stdio' | 'http';
}

/** What a call answers at a desk that cannot ask. */
async function call({ mount = 'shop', tool = 'pay', ...options }: CallOptions = {}): Promise<string> {
  const { args = { amount: 5, to: 'ada' }, token, user = 'owner', transport = 'stdio' } = options;
  const settings = { mounts: ['shop', 'other'], noMounts: [] };
  await using desk = await openDesk(settings, { env: { DISPLAY: '' }, log: silentLog });
  const principal = { user, ...(token === undefined ? {} : { token }) };
  const ctx = testContext({ principal, transport });
  const result = await desk.aggregator.definition.callTool(`${mount}_${tool}`, args, ctx);
  const text = result === undefined ? 'unknown tool' : firstText(result as never);
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text;
}

async function decisions(): Promise<readonly string[]> {
  await using journal = openUserJournal(silentLog);
  const records = await journal.records({ kind: 'approval' });
  return records.map(({ mount, tool, outcome, via }) => `${mount} ${tool} ${outcome} ${via}`);
}

test('a word that is no command of the rules names them, and deny a mount without calls to deny', async () => {
  userHome();
  const error = await runCommand(rules, { operands: ['alow', 'shop'] });
  expect(error.stderr).toBe('Pass nothing, list, allow, deny or remove.\n');
  const denied = await runCommand(rulesDeny, { operands: ['todo', 'add_task'] });
  const stderr = '"todo" is neither another server nor a module. Run "deskside list".\n';
  expect(denied).toStrictEqual({ code: 1, stdout: '', stderr });
});

test('rules allow asks the person, who sees what it is for, and without a yes nothing changes', async () => {
  await shops();
  const asked = await allow(['shop', 'pay'], { typed: 'n\n', flags: { ...PAY.flags, as: 'codex' } });
  expect(asked).toStrictEqual({
    code: 1,
    stdout: '  for: codex of owner\n  arguments: {"to":"ada","amount":5}\nAlways allow shop › pay? [y/N] ',
    stderr: 'Nothing was changed.\n',
  });
  // The end of the input, and an option, are no yes of a person.
  expect((await allow(['shop', 'pay'], { ...PAY, typed: '' })).code).toBe(1);
  expect((await allow(['shop', 'pay'], { typed: '', flags: { ...PAY.flags, yes: true } })).code).toBe(1);
  expect((await runCommand(rules)).stdout).toMatch(/^No rules\. /);
  expect(await call()).toBe('NOT_APPROVED');
  expect(await decisions()).toStrictEqual(Array.from({ length: 3 }, () => 'shop pay denied terminal'));
});

test('an allowed call runs for its mount, arguments and client only, until the definition changes', async () => {
  const { shop } = await shops();
  const allowed = await allow(['shop', 'pay'], PAY);
  expect(allowed).toMatchObject({ code: 0, stderr: '' });
  expect(allowed.stdout).toMatch(
    / [\da-f]{8} {2}allow {2}shop pay +clients without a name of owner, with exactly the arguments of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/,
  );
  expect(await decisions()).toStrictEqual(['shop pay allowed terminal']);
  expect(await call()).toBe('pay of foreign');
  for (const other of [{ args: {} }, { token: 'codex' }, { mount: 'other' }])
    expect([other, await call(other)]).toStrictEqual([other, 'NOT_APPROVED']);

  shop.tools = [read, send, { ...pay, description: 'Pays twice.' }];
  expect(await call({ tool: 'read' })).toBe('read of foreign');
  await runCommand(apply, yes);
  expect(await call()).toBe('NOT_APPROVED');
  expect((await allow(['shop', 'pay'], PAY)).code).toBe(0);
  expect(await call()).toBe('pay of foreign');
});

test('a rule of a client with a name, or of a token, counts for it alone', async () => {
  await shops();
  await tokenStore().create({ name: 'laptop', user: 'bob' });
  expect((await allow(['shop', 'send'], { flags: { as: 'codex' } })).code).toBe(0);
  expect((await allow(['other', 'send'], { flags: { token: 'laptop' } })).code).toBe(0);
  expect(await call({ tool: 'send', token: 'codex' })).toBe('send of foreign');
  expect(await call({ tool: 'send', token: 'codex', args: { any: 1 } })).toBe('send of foreign');
  expect(await call({ tool: 'send' })).toBe('NOT_APPROVED');
  expect(await call({ tool: 'send', token: 'codex', transport: 'http' })).toBe('NOT_APPROVED');
  const laptop = { mount: 'other', tool: 'send', transport: 'http', token: 'laptop' } as const;
  expect(await call({ ...laptop, user: 'bob' })).toBe('send of foreign');
  expect(await call(laptop)).toBe('NOT_APPROVED');
});

const OTHERS = 'Other clients are still asked: --as and --token name them.\n';

test('rules deny asks nothing and counts before a rule that allows; rules lists both, rules remove deletes one', async () => {
  await shops();
  await allow(['shop', 'send']);
  const denied = await runCommand(rulesDeny, { operands: ['shop', 'send'] });
  expect(denied).toMatchObject({ code: 0, stderr: OTHERS });
  expect(await call({ tool: 'send' })).toBe('DENIED');
  expect(await decisions()).toStrictEqual(['shop send allowed terminal', 'shop send denied terminal']);
  const { stdout } = await runCommand(rules, { operands: ['list'] });
  expect(stdout.split('\n').map((line) => line.slice(10, 32))).toStrictEqual([
    'allow  shop send      ',
    'deny   shop send      ',
    '',
  ]);
  const id = denied.stdout.slice(0, 8);
  const remove = (options: RunOptions) => runCommand(rulesRemove, { operands: [id], ...options });
  expect((await remove({})).code).toBe(1);
  expect((await remove({ typed: 'n\n' })).stderr).toBe('Nothing was changed.\n');
  expect(await call({ tool: 'send' })).toBe('DENIED');
  const removed = await remove({ typed: 'y\n' });
  expect(removed.stdout).toBe(
    `  for: clients without a name of owner\nStop denying shop › send? [y/N] Removed: ${denied.stdout}`,
  );
  expect(await call({ tool: 'send' })).toBe('send of foreign');
  expect((await runCommand(rulesRemove, { operands: [id] })).stderr).toBe(
    `No rule has this id. Run "deskside rules".\n`,
  );
});

test.each<readonly [readonly string[], Record<string, string>, string]>([
  [['shop'], {}, 'Pass MOUNT and TOOL. See --help.'],
  [['todo', 'add_task'], {}, '"todo" is neither another server nor a module. Run "deskside list".'],
  [['shop', 'refund'], {}, 'shop has no tool "refund". Run "deskside list --tools".'],
  [['shop', 'pay'], {}, 'pay (destroys data): pass --arguments with the only call to allow.'],
  [['shop', 'send'], { as: 'codex', token: 'laptop' }, 'Pass --as or --token.'],
  [
    ['shop', 'pay'],
    { arguments: 'amount=5' },
    `--arguments is not JSON. Example: --arguments '{"table":"orders"}'`,
  ],
])('rules allow %j with %j is refused before it asks: %s', async (operands, flags, message) => {
  await shops();
  expect(await allow(operands, { flags })).toStrictEqual({ code: 1, stdout: '', stderr: `${message}\n` });
  expect((await runCommand(rules)).stdout).toMatch(/^No rules/);
});

test('rules allow takes the name that list --tools shows, also of a tool with another name for agents', async () => {
  const { edit, text } = await shops();
  edit(text().replace('[mcpServers.shop]', '[mcpServers.shop]\nrename = { pay = "transfer" }'));
  await runCommand(apply, { typed: 'y\n' });
  const flags = { tools: true, mounts: 'shop' };
  expect((await runCommand(list(SELF), { flags })).stdout).toMatch(/^ {2}pay /m);
  expect(await allow(['shop', 'pay'], PAY)).toMatchObject({ code: 0, stderr: '' });
  expect(await call({ tool: 'transfer' })).toBe('pay of foreign');
});

const deny = (flags: Record<string, string>, tool = 'send') =>
  runCommand(rulesDeny, { operands: ['shop', tool], flags });

test('a rule of the token "main" counts for clients with the main token, and another token must exist', async () => {
  await shops();
  const main = await deny({ token: 'main' });
  expect(main).toMatchObject({ code: 0, stderr: '' });
  expect(main.stdout).toContain(' token main of owner, ');
  expect(await call({ tool: 'send', transport: 'http' })).toBe('DENIED');
  expect(await call({ tool: 'send' })).toBe('NOT_APPROVED');
  const unknown = 'No token "latop" exists. Tokens: laptop.\n';
  await tokenStore().create({ name: 'laptop', user: 'bob' });
  expect(await deny({ token: 'latop' })).toStrictEqual({ code: 1, stdout: '', stderr: unknown });
  // Its user is known.
  expect((await deny({ token: 'laptop' })).stdout).toContain(' token laptop of bob, ');
  // A server may list it later.
  const stderr = expect.stringContaining('shop has no tool "sent" now.');
  expect(await deny({ token: 'main' }, 'sent')).toMatchObject({ code: 0, stderr });
});

test('rules deny takes a module that cannot be opened now', async () => {
  const { edit } = userHome();
  edit('[mounts.weather]\nmodule = "./gone.mjs"\n');
  await runCommand(apply, yes);
  const denied = await runCommand(rulesDeny, { operands: ['weather', 'read'] });
  expect(denied).toMatchObject({ code: 0, stderr: `weather has no tool "read" now.\n${OTHERS}` });
});
