import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordedContext, temporaryHome } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { jsonLine } from '../notification/json-line.ts';
import type { Notification } from '../notification/notification.ts';
import { sampleNotification } from '../testing/delivery.ts';
import { tail } from './tail.ts';

const AT_MS = Date.UTC(2026, 10, 21, 10, 30);
const one = sampleNotification('one', 'info', 'llm', AT_MS);
const two = sampleNotification('two', 'warn', 'safety', AT_MS);
const three = sampleNotification('three', 'error', 'llm', AT_MS);

/** A file with these, in a home of its own. */
function fileWith(...all: readonly Notification[]): string {
  const file = join(temporaryHome(), 'own.jsonl');
  writeFileSync(file, all.map((each) => `${jsonLine(each)}\n`).join(''));
  return file;
}

/** What `tail --no-follow` prints of the three. */
async function shown(flags: Readonly<Record<string, unknown>>): Promise<string> {
  vi.stubEnv('TZ', 'UTC');
  const context = recordedContext();
  expect(await tail.run({ ...flags, file: fileWith(one, two, three), follow: false }, context)).toBe(0);
  return context.written.output;
}

const AT = '2026-11-21 10:30:00';
const [ONE, TWO, THREE] = [
  `${AT} INFO  [llm] one\n`,
  `${AT} WARN  [safety] two\n`,
  `${AT} ERROR [llm] three\n`,
];

test.each([
  [{}, ONE + TWO + THREE],
  [{ lines: 1 }, THREE],
  [{ filter: 'error,[{context=safety}]=info' }, TWO + THREE],
  [{ json: true, lines: 1 }, `${jsonLine(three)}\n`],
])('tail %j prints the latest notifications', async (flags, printed) => {
  expect(await shown(flags)).toBe(printed);
});

test('tail prints colors with --color always', async () => {
  expect(await shown({ color: 'always', lines: 1 })).toContain('\u001B[1m\u001B[31mERROR');
});

test.each([
  ['its folder becomes a file', (file: string) => dirname(file), (path: string) => writeFileSync(path, '')],
  ['it becomes a folder', (file: string) => file, (path: string) => mkdirSync(path)],
])('tail says once that %s, and goes on when the file is back', async (_, part, replace) => {
  const file = fileWith(one);
  const context = recordedContext();
  const ended = tail.run({ file, color: 'never' }, context);
  await expect.poll(() => context.written.output).toContain('one');
  const path = part(file);
  renameSync(path, `${path}.away`);
  replace(path);
  await expect.poll(() => context.written.notes).not.toBe('');
  rmSync(path, { recursive: true });
  renameSync(`${path}.away`, path);
  appendFileSync(file, `${jsonLine(sampleNotification('two'))}\n`);
  await expect.poll(() => context.written.output).toContain('two');
  context.close();
  expect(await ended).toBe(0);
  expect(context.written.output.match(/one|two/g)).toStrictEqual(['one', 'two']);
  expect(context.written.notes).toMatch(/^\S+ cannot be read \((?:ENOTDIR|EISDIR)\)\.\n$/);
});

test.each([
  [{ filter: 'eror' }, /^--filter: Invalid filter directive "eror"/],
  [{ file: '/' }, /^--file: use the path of a file: this is a folder/],
  [{ file: '/dev/null/below' }, /^\/dev\/null\/below cannot be read \(ENOTDIR\)\.$/],
  [{ config: '/nowhere.toml' }, /^\/nowhere\.toml: the file does not exist\.$/],
])('tail does not start with %j', async (flags, problem) => {
  temporaryHome();
  await expect(tail.run({ ...flags, follow: false }, recordedContext())).rejects.toThrow(problem);
});

test('tail reads the file that its configuration names, and says what is wrong in that', async () => {
  const file = fileWith(one);
  const config = `${file}.toml`;
  writeFileSync(config, `color = true\n[file]\npath = "${file}"\n`);
  const context = recordedContext();
  await tail.run({ config, follow: false }, context);
  expect(context.written.output).toContain('one');
  expect(context.written.notes).toContain(`${config}: Unknown key color`);
});
