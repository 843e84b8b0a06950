import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { RuleStore } from './rule-store.ts';

const own = { mount: 'shop', tool: 'pay', definition: 'one', user: 'owner', transport: 'stdio' } as const;
const decided = { ...own, arguments: 'a', token: undefined };
const rule = { ...own, word: 'allow' } as const;

test('a rule counts for its caller, definition and arguments only, and one that denies counts first', async () => {
  const file = join(temporaryFolder(), 'approvals.json');
  const store = new RuleStore(file);
  const { id } = await store.add({ ...rule, arguments: 'a' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(store.find(decided)?.id).toBe(id);
  const others = [
    { definition: 'two' },
    { arguments: 'b' },
    { user: 'bob' },
    { transport: 'http' },
    { token: 'codex' },
    { mount: 'other' },
    { tool: 'send' },
  ] as const;
  for (const other of others) expect(store.find({ ...decided, ...other })).toBeUndefined();
  const { definition: _, ...anyDefinition } = rule;
  await store.add({ ...anyDefinition, word: 'deny' });
  expect(store.find({ ...decided, definition: 'two' })?.word).toBe('deny');
  expect(store.find(decided)?.word).toBe('deny');
  await store.remove(id);
  expect(await store.list()).toHaveLength(1);
  await expect(store.remove(id)).rejects.toThrow('No rule has this id.');
  chmodSync(file, 0o644);
  await expect(store.list()).rejects.toThrow('chmod 600');
});

test('an unchanged file is not parsed again, and a change of another program counts at once', async () => {
  const file = join(temporaryFolder(), 'approvals.json');
  const store = new RuleStore(file);
  await store.add({ ...rule, word: 'deny' });
  const isKept = async () => (await store.list()) === (await store.list());
  expect(await isKept()).toBe(true);
  expect(store.find(decided)?.word).toBe('deny');
  writeFileSync(file, readFileSync(file, 'utf8').replace('shop', 'cafe'));
  expect(store.find(decided)).toBeUndefined();
  await new RuleStore(file).add(rule);
  expect(store.find(decided)?.word).toBe('allow');
  expect(await isKept()).toBe(true);
  const text = readFileSync(file, 'utf8').replace(/"created": "/, '$&about ');
  writeFileSync(file, text);
  await expect(store.list()).rejects.toThrow('cannot be used (its content is not valid)');
});

test('rules that are lost are not no rules: they may have denied calls', async () => {
  const file = join(temporaryFolder(), 'approvals.json');
  const store = new RuleStore(file);
  expect(store.find(decided)).toBeUndefined();
  await store.add({ ...rule, word: 'deny' });
  rmSync(file);
  const problem = `The file of rules ${file} is missing, and may have denied calls.`;
  expect(() => store.find(decided)).toThrow(problem);
  for (const work of [store.list(), store.add(rule), store.remove('x')])
    await expect(work).rejects.toThrow(problem);
  rmSync(`${file}.known`);
  expect(store.find(decided)).toBeUndefined();
});

test('a file in the place of the folder of rules is not no rules', async () => {
  const folder = join(temporaryFolder(), 'data');
  const store = new RuleStore(join(folder, 'deskside/approvals.json'));
  expect(store.find(decided)).toBeUndefined();
  writeFileSync(folder, '');
  expect(() => store.find(decided)).toThrow('Move that file away.');
});
