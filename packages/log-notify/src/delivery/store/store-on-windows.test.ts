import fs, { readdirSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { fixedClock, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sampleNotification } from '../../testing/delivery.ts';
import { Store } from './store.ts';

function refused(): never {
  throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
}

/** A file that is open for appending cannot be truncated by its handle, and no file that is open is replaced. */
function actAsWindows(): void {
  const { openSync, closeSync, ftruncateSync, renameSync } = fs;
  const open = new Map<number, { readonly path: string; readonly flags: unknown }>();
  const mocks = [
    vi.spyOn(fs, 'openSync').mockImplementation((path, flags, mode) => {
      const file = openSync(path, flags, mode);
      open.set(file, { path: String(path), flags });
      return file;
    }),
    vi.spyOn(fs, 'closeSync').mockImplementation((file) => {
      open.delete(file);
      closeSync(file);
    }),
    vi.spyOn(fs, 'ftruncateSync').mockImplementation((file, length) => {
      if (open.get(file)?.flags === 'a+') refused();
      ftruncateSync(file, length);
    }),
    vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if ([...open.values()].some(({ path }) => path === String(to))) refused();
      renameSync(from, to);
    }),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const mock of mocks) mock.mockRestore();
    syncBuiltinESMExports();
  });
}

test('as on Windows: the spool is emptied, and rewritten while something waits', () => {
  actAsWindows();
  const folder = join(temporaryFolder(), 'spool');
  const store = new Store({
    folder,
    clock: fixedClock('2026-11-21T12:00:00Z'),
    owner: { id: 1, isRunning: () => true, files: new Set() },
    report: (sentence) => expect.unreachable(sentence),
  });
  const sink = store.sink('ntfy');
  const accept = (message: string) => {
    const delivery = sink.add(sampleNotification(message));
    store.accept(delivery.notification);
    return () => sink.done([delivery]);
  };
  accept('a')();
  const sizes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes()).toStrictEqual([0]);
  const deliverLast = accept('waits');
  for (let index = 0; index < 500; index += 1) accept(`${index} ${'x'.repeat(5000)}`)();
  expect(sizes()).toStrictEqual([expect.toSatisfy((size: number) => size < 1_100_000)]);
  deliverLast();
  expect(sizes()).toStrictEqual([0]);
  store.close();
  expect(readdirSync(folder)).toStrictEqual([]);
});
