import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { JournalRecord } from './records.ts';
import { temporaryFolder } from '@deskside/core/testing';
import { readJournal } from './read.ts';
import { segmentNames } from './segments.ts';

const PROGRAM = join(import.meta.dirname, '../testing/journal-program.ts');
/** More would be over the 16 MB of a journal, which then forgets the oldest items. */
const ROUNDS = process.env['DESKSIDE_PROOF'] === '1' ? 5000 : 2000;

interface Writing {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** What the process says that it has done. */
  said: string;
  /** Resolves when it has said this many characters, or has done all. */
  after(characters: number): Promise<void>;
}

function startWriting(folder: string, seed: number): Writing {
  const args = [PROGRAM, folder, String(seed), String(ROUNDS)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const writing: Writing = {
    child,
    said: '',
    async after(characters) {
      while (writing.said.length < characters && !writing.said.endsWith('["done"]\n'))
        await once(child.stdout, 'data');
    },
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (writing.said += text));
  return writing;
}

/** The items of a process as it says they are. */
function saidItems({ said }: Writing): Map<string, Partial<JournalRecord>> {
  const items = new Map<string, Partial<JournalRecord>>();
  // The last line of a process that was killed may be torn.
  for (const line of said.split('\n').slice(0, -1)) {
    const [step, id, value]: [string, string, string?] = JSON.parse(line);
    if (step === 'begin') items.set(id, { id, kind: value as JournalRecord['kind'] });
    if (step === 'end') items.set(id, { ...items.get(id), ended: expect.any(String), outcome: value });
    if (step === 'shown' || step === 'seen') items.set(id, { ...items.get(id), [step]: expect.any(String) });
  }
  return items;
}

test('several processes write at once, some are killed, and nothing that they have done is lost', async () => {
  using place = temporaryFolder();
  const folder = join(place.path, 'journal');
  const writers = [1, 2, 3, 4].map((seed) => startWriting(folder, seed));
  for (const [index, writer] of writers.entries()) {
    if (index >= 2) continue;
    await writer.after(20_000 * (index + 1));
    writer.child.kill('SIGKILL');
    await once(writer.child, 'close');
  }
  await Promise.all(writers.slice(2).map((writer) => writer.after(Infinity)));

  const records = new Map((await readJournal(folder)).map((record) => [record.id, record]));
  expect(segmentNames(folder).length).toBeGreaterThan(1);
  let open = 0;
  for (const [index, writer] of writers.entries()) {
    for (const [id, item] of saidItems(writer)) {
      const isOpen = item.ended === undefined;
      const expected = isOpen ? { ...item, outcome: index < 2 ? 'interrupted' : undefined } : item;
      const record = records.get(id);
      // A killed process may have written more than it could say.
      if (index < 2 && isOpen && record?.ended !== undefined) continue;
      expect(record).toMatchObject({ ...expected, caller: `agent ${index + 1}`, user: 'owner' });
      if (isOpen) open += 1;
    }
  }
  expect(open).toBeGreaterThan(4);

  for (const writer of writers.slice(2)) {
    writer.child.kill('SIGKILL');
    await once(writer.child, 'close');
  }
  const left = await readJournal(folder, { isOpen: true });
  expect(left).toEqual([]);
});
