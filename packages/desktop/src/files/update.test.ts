import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '@deskside/core/base';
import { startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { textOf, whileLocked } from './update.ts';

test('a lock that another program holds is named, and the work is not done', async () => {
  const file = join(temporaryFolder(), 'settings.json');
  writeFileSync(`${file}.lock`, '');
  const work = async () => writeFileSync(file, 'changed');
  await expect(whileLocked(file, work, 0)).rejects.toThrow(`Try again, or delete ${file}.lock.`);
  expect(existsSync(file)).toBe(false);
});

test('work at the same time is done one after the other, and leaves no lock, also if it fails', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'settings.json');
  let running = 0;
  const work = async () => {
    running += 1;
    expect(running).toBe(1);
    await replaceFile(file, `${(await textOf(file)) ?? ''}x`, 0o600);
    running -= 1;
  };
  await Promise.all([1, 2, 3, 4].map(() => whileLocked(file, work)));
  expect(await textOf(file)).toBe('xxxx');
  await expect(whileLocked(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(readdirSync(folder)).toStrictEqual(['settings.json']);
});

test('a program that ends in order while it works leaves no lock', async () => {
  const folder = temporaryFolder();
  const files = Array.from({ length: 12 }, (_, index) => join(folder, `${index}.json`));
  const script = `
    import { once } from 'node:events';
    import { whileLocked } from ${JSON.stringify(join(import.meta.dirname, 'update.ts'))};
    const lock = (file) => new Promise((locked) => {
      void whileLocked(file, () => new Promise(() => locked()));
    });
    await Promise.all(${JSON.stringify(files)}.map(lock));
    console.log('locked');
    await once(process.stdin, 'data');
    process.exit(0);`;
  await using program = startProgram({
    command: process.execPath,
    args: ['--input-type=module', '--eval', script],
  });
  await program.printed(/locked/);
  expect(readdirSync(folder)).toHaveLength(12);
  program.child.stdin.write('end\n');
  expect(await program.exited).toBe(0);
  expect(readdirSync(folder)).toStrictEqual([]);
  // No warning of Node.js about many listeners.
  expect(program.stderr()).toBe('');
});
