import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import { expect, test } from 'vitest';
import { openConnection } from './connection.ts';
import { inspectDatabase } from './inspect.ts';
import { migrations } from './migrate.ts';

test.skipIf(!canMount)('on a full disk, what opens or inspects a database says that it is full', () => {
  const disk = smallDisk(512, 8);
  const file = join(disk, 'todo.sqlite');
  openConnection(file, migrations).close();
  expect(() => {
    for (;;) appendFileSync(join(disk, 'filler'), Buffer.alloc(4096));
  }).toThrow('ENOSPC');

  const opened = [file, join(disk, 'new.sqlite'), join(disk, 'a/b/c/d/e/f/g/h/new.sqlite')];
  for (const path of opened) {
    expect(() => openConnection(path, migrations)).toThrow(expect.objectContaining(full(path)));
  }
  expect(() => inspectDatabase(file)).toThrow(expect.objectContaining(full(file)));
});

function full(file: string) {
  const hint = 'Nothing was changed. Tell the person that the disk with the task database is full.';
  return {
    reason: `Can't open the task database ${file}: the disk is full`,
    failure: expect.objectContaining({ hint }),
  };
}
