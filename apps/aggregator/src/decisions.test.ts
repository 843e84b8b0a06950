import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createLog } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { testContext } from '@deskside/core/testing';
import { firstText } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { ListingStore, loginStore } from '@deskside/gateway/servers';
import { apply } from './commands/apply.ts';
import { doctor } from './commands/doctor.ts';
import { placesFor } from './config/load.ts';
import { openDesk, ruleStore } from './open-desk.ts';
import { digestOf } from '@deskside/desktop';
import { runCommand, SELF } from './testing/commands.ts';
import { filesBelow } from './testing/files-below.ts';
import { foreignServer } from '@deskside/gateway/testing/foreign-server';
import { userHome } from './testing/user-home.ts';
import { deskAuthentication, tokenStore } from './tokens/tokens.ts';

const inputSchema = { type: 'object' } as const;
const TOOLS = [
  { name: 'read', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'secret', inputSchema, annotations: { readOnlyHint: true } },
  { name: 'pay', inputSchema, annotations: { destructiveHint: true } },
  { name: 'wipe', inputSchema, annotations: { destructiveHint: true } },
] as const;

/** A name of what limits a decision, or identifies it. */
const LIMIT = /(?:arguments|profile|listing|issuer|block)(?="? ?[:=])/;

/** The record of a version that knows more: what it has may limit a decision. */
function withNewer(text: string): string {
  return text.replace('{', '{\n  "newer": true,');
}

/** What can happen to a file. */
const STATES: readonly (readonly [string, (file: string, text: string) => void])[] = [
  ['missing', (file) => rmSync(file)],
  ['empty', (file) => writeFileSync(file, '')],
  ['cut after a line', (file, text) => writeFileSync(file, text.replace(/[^\n]*\n$/, ''))],
  ['full of zeros', (file, text) => writeFileSync(file, '\0'.repeat(text.length))],
  ['half', (file, text) => writeFileSync(file, text.slice(0, text.length / 2))],
  [
    'of a newer version',
    (file, text) => writeFileSync(file, file.endsWith('.toml') ? `${text}\n[newer]\n` : withNewer(text)),
  ],
  ['damaged in a name', (file, text) => writeFileSync(file, text.replace(LIMIT, 'other'))],
  [
    'a folder',
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  // Only root gives files away.
  ...(process.getuid?.() === 0
    ? [['of another owner', (file: string) => chownSync(file, 54_321, 54_321)] as const]
    : []),
];

/** What a decision of `decided` is about. The names of the files are those of the user's data folder. */
const RECORDS: readonly (readonly [what: string, name: RegExp])[] = [
  ['acceptance of the configuration, with its profiles and blocked tools', /^accepted\/[^/]*\.toml$/],
  ['acceptance of a listing', /^accepted\/.*\.json$/],
  ['rules', /^approvals\.json$/],
  ['login', /^logins\//],
  ['tokens', /^tokens\.json$/],
];

/**
 * A person who has accepted a server and blocked `secret`, allowed `pay`, denied `read`, created a token with a profile, and
 * logged in.
 */
async function decided() {
  const { folder, edit } = userHome();
  const { url } = await foreignServer(TOOLS);
  edit(`[profiles.small]\nmounts = ["todo"]\n\n[mcpServers.shop]\nurl = "${url}"\nblock = ["secret"]\n`);
  await runCommand(apply, { flags: { yes: true } });
  const accepted = await new ListingStore(placesFor(undefined).listings).accepted('shop');
  const pay = accepted?.listing.tools.find(({ name }) => name === 'pay');
  const rule = { mount: 'shop', user: 'owner', transport: 'stdio' } as const;
  await ruleStore().add({
    ...rule,
    word: 'allow',
    tool: 'pay',
    definition: digestOf(pay),
    arguments: digestOf({}),
  });
  await ruleStore().add({ ...rule, word: 'deny', tool: 'read' });
  const token = await tokenStore().create({ name: 'ci', profile: 'small' });
  const since = '2026-11-22T10:00:00Z';
  const login = { server: url, issuer: url, client: { client_id: 'desk' }, tokens: { access: 'a' }, since };
  await loginStore().save('shop', login);
  const data = join(folder, 'data/deskside');
  const files = filesBelow(data).toSorted();
  const texts = new Map(files.map((file) => [relative(data, file), readFileSync(file, 'utf8')]));
  return { data, texts, token };
}

/** The tools that run unasked, and everything that is said about it. Nobody can be asked. */
async function use(token: string): Promise<{ readonly ran: readonly string[]; readonly said: string }> {
  const said: string[] = [];
  const log = createLog({ level: 'warn', write: (line) => void said.push(line) });
  const ran: string[] = [];
  try {
    await using desk = await openDesk({ mounts: ['todo', 'shop'], noMounts: [] }, { env: {}, log });
    for (const { name } of TOOLS) {
      const result = await desk.aggregator.definition.callTool(`shop_${name}`, {}, testContext({ log }));
      if (result !== undefined && firstText(result as never) === `${name} of foreign`) ran.push(name);
    }
    // Its profile has only todo.
    const principal = { user: 'owner', token: 'ci', profile: 'small' };
    for (const name of ['shop_read', 'todo_list_tasks']) {
      const ctx = testContext({ log, principal });
      const call = desk.aggregator.definition.callTool(name, { user_id: 'owner' }, ctx);
      const result = await call.catch((error: unknown) => void said.push(messageOf(error)));
      if (result !== undefined && result.isError !== true) ran.push(`${name} in the profile`);
    }
    said.push(...(await desk.notes()));
  } catch (error) {
    said.push(messageOf(error));
  }
  const owner = { user: 'owner', token: 'the-main-token-of-the-owner' };
  const authenticate = deskAuthentication(owner, log);
  const principal = await authenticate(`Bearer ${token}`);
  if (principal !== undefined && principal.profile !== 'small') ran.push('token');
  if (principal !== undefined) ran.push('token with its profile');
  const found = await loginStore()
    .find('shop')
    .catch((error: unknown) => void said.push(messageOf(error)));
  if (found !== undefined) ran.push('login');
  return { ran, said: said.join('\n') };
}

/** What runs as long as every record is whole. */
const WHOLE = ['pay', 'todo_list_tasks in the profile', 'token with its profile', 'login'];

test('a decision holds as long as its record is whole', async () => {
  const { token, texts } = await decided();
  expect([...texts.keys()].map((name) => name.replaceAll(/[0-9a-f]{16}/g, '…'))).toStrictEqual([
    'accepted/….toml',
    'accepted/…/shop.accepted.json',
    'approvals.json',
    'approvals.json.known',
    'logins/shop-….json',
    'tokens.json',
  ]);
  expect(await use(token)).toStrictEqual({ ran: WHOLE, said: '' });
});

/** What `doctor` says. */
async function examined(): Promise<string> {
  const flags = { mounts: 'todo,shop', secret: 'the-main-secret-of-the-owner' };
  const { stdout, stderr } = await runCommand(doctor(SELF), { flags });
  return stdout + stderr;
}

test.each(STATES)(
  'a record that is %s allows nothing, and is named by the first answer and by doctor',
  async (state, damage) => {
    const { data, texts, token } = await decided();
    for (const [what, pattern] of RECORDS) {
      for (const [name, text] of texts) {
        rmSync(join(data, name), { recursive: true, force: true });
        writeFileSync(join(data, name), text, { mode: 0o600 });
      }
      const name = [...texts.keys()].find((each) => pattern.test(each)) ?? '';
      damage(join(data, name), texts.get(name) ?? '');
      const { ran, said } = await use(token);
      expect
        .soft(
          ran.filter((each) => !WHOLE.includes(each)),
          what,
        )
        .toStrictEqual([]);
      // What is missing was never decided; only of rules it is known that they existed.
      if (state === 'missing' && name !== 'approvals.json') continue;
      expect.soft(said, what).toContain(join(data, name));
      // The person's own file is whole.
      expect.soft(said, what).not.toContain('deskside.toml');
      expect.soft(await examined(), what).toContain(join(data, name));
    }
  },
);
