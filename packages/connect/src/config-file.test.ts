import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { carryOut, planChange, serversIn } from './config-file.ts';
import { clientNamed } from './found.ts';

const cursor = clientNamed('cursor');

test('a file that another program changes after the plan is not changed', async () => {
  const file = join(temporaryFolder(), 'mcp.json');
  writeFileSync(file, '{}');
  const plan = await planChange(cursor, file, 'deskside', { command: 'npx' });
  writeFileSync(file, '{ "mcpServers": {} }');
  await expect(carryOut(plan, false)).rejects.toThrow(`${file}: It has changed meanwhile. Try again.`);
  expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": {} }');
});

test.each([
  ['Windows-1252', 'latin1'],
  ['UTF-16', 'utf16le'],
] as const)('a file in %s is not changed', async (_, encoding) => {
  const file = join(temporaryFolder(), 'mcp.json');
  const bytes = Buffer.from('{"mcpServers":{"a":{"command":"C:/Users/Jürgen/a.exe"}}}', encoding);
  writeFileSync(file, bytes);
  const message = `${file}: It is not UTF-8. Save it as UTF-8.`;
  await expect(planChange(cursor, file, 'deskside', {})).rejects.toThrow(message);
  await expect(serversIn(cursor, file)).rejects.toThrow(message);
});

test('of two changes at once one is made, and the other one is refused', async () => {
  const file = join(temporaryFolder(), 'mcp.json');
  const plans = await Promise.all(
    ['one', 'two'].map((name) => planChange(cursor, file, name, { command: name })),
  );
  const results = await Promise.allSettled(plans.map((plan) => carryOut(plan, false)));
  expect(results.map(({ status }) => status).toSorted()).toStrictEqual(['fulfilled', 'rejected']);
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers)).toHaveLength(1);
});

test.skipIf(process.platform === 'win32')('a file that is changed keeps its mode and its owner', async () => {
  const file = join(temporaryFolder(), 'mcp.json');
  writeFileSync(file, '{}');
  const { uid, gid } = process.getuid?.() === 0 ? { uid: 54_321, gid: 54_322 } : statSync(file);
  chownSync(file, uid, gid);
  chmodSync(file, 0o664);
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  const change = async (name: string, isSecret: boolean) => {
    await carryOut(await planChange(cursor, file, name, { command: name }), isSecret);
    const stats = statSync(file);
    return { uid: stats.uid, gid: stats.gid, mode: stats.mode & 0o777 };
  };
  expect(await change('one', false)).toStrictEqual({ uid, gid, mode: 0o664 });
  expect(await change('two', true)).toStrictEqual({ uid, gid, mode: 0o600 });
});
