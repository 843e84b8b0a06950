import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recordedContext, temporaryHome } from '@deskside/testkit';
import { expect, test, vi } from 'vitest';
import { jsonLine } from '../notification/json-line.ts';
import { isFollowed } from '../sinks/file/followers.ts';
import { sampleNotification } from '../testing/delivery.ts';
import { tail } from './tail.ts';

/** A file with this message, in a home of its own. */
function fileWith(message: string): string {
  const file = join(temporaryHome(), 'own.jsonl');
  writeFileSync(file, `${jsonLine(sampleNotification(message, 'warn'))}\n`);
  return file;
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)(
  '%s ends tail with the exit code %i, and the file does not count as followed',
  async (signal, code) => {
    const file = fileWith('one');
    const context = recordedContext();
    const before = process.listeners(signal);
    const ended = tail.run({ file }, context);
    await expect.poll(() => isFollowed(file, new Date())).toBe(true);
    const added = process.listeners(signal).filter((each) => !before.includes(each));
    for (const listener of added) {
      process.off(signal, listener);
      listener(signal);
    }
    // Without a listener, the signal would end the process.
    if (added.length === 0) context.close();
    expect(await ended).toBe(code);
    expect(isFollowed(file, new Date())).toBe(false);
    expect(process.listeners(signal)).toStrictEqual(before);
  },
);

test('who reads the first line of tail is a follower already', async () => {
  const file = fileWith('one');
  const context = recordedContext();
  const first = Promise.withResolvers<boolean>();
  const write = context.output.write.bind(context.output);
  vi.spyOn(context.output, 'write').mockImplementation((text: unknown) => {
    first.resolve(isFollowed(file, new Date()));
    return write(text);
  });
  const ended = tail.run({ file }, context);
  expect(await first.promise).toBe(true);
  context.close();
  await ended;
});

test.each([
  ['its folder becomes a file', (file: string) => dirname(file), (path: string) => writeFileSync(path, '')],
  ['it becomes a folder', (file: string) => file, (path: string) => mkdirSync(path)],
])('tail says once that %s, and goes on when the file is back', async (_, part, replace) => {
  const file = fileWith('one');
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

test('tail does not start with a filter that is not valid', async () => {
  const shown = tail.run({ file: fileWith('one'), filter: 'eror', follow: false }, recordedContext());
  await expect(shown).rejects.toThrow(/^--filter: Invalid filter directive "eror"/);
});
