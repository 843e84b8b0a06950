import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { IS_PROOF, type Program, SEED, startProgram, temporaryFolder } from '@deskside/testkit';
import { canMount, smallDisk } from '@deskside/testkit/small-disk';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal } from './journal.ts';
import type { JournalRecord } from './records.ts';

const program = (name: string) => join(import.meta.dirname, '../testing', name);
const KILLS = IS_PROOF ? 500 : 6;
const MAX_DISK_BYTES = IS_PROOF ? 200_000 * 1024 : 20_000 * 1024;
/** Of processes at once, of which all but one are killed. */
const WRITERS = 4;

/** @param disk where the state folder is. Default: beside the other one. */
function place(disk?: string) {
  const folder = temporaryFolder();
  const [state, runtime] = [join(disk ?? folder, 'state'), join(folder, 'runtime')];
  return {
    state,
    runtime,
    open: () => openJournal({ places: { state, runtime: [runtime] }, log: silentLog }),
  };
}

interface Writing extends Program {
  readonly seed: number;
}

/** Starts a process that says what it has stored. */
function startWriting(folders: readonly string[], seed: number, rounds: number): Writing {
  const args = [program('journal-program.ts'), ...folders, String(seed), String(rounds)];
  const started = startProgram({ command: process.execPath, args });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return { ...started, seed };
}

/** Resolves when it has said this much, or has done all. */
const said = ({ printed }: Writing, characters: number) => printed(new RegExp(`^[^]{${characters}}|"done"`));

async function kill({ child, exited }: Writing): Promise<void> {
  child.kill('SIGKILL');
  await exited;
}

/** The items of a process as it says they are. */
function saidItems({ stdout }: Writing): Map<string, Partial<JournalRecord>> {
  const items = new Map<string, Partial<JournalRecord>>();
  // The last line of a process that was killed may be torn.
  for (const line of stdout().split('\n').slice(0, -1)) {
    const [step, id, value]: [string, string, string?] = JSON.parse(line);
    const known = items.get(id);
    if (step === 'begin') items.set(id, { id, kind: value as JournalRecord['kind'] });
    if (step === 'shown' || step === 'seen') items.set(id, { ...known, [step]: expect.any(String) });
    if (step === 'end')
      items.set(id, {
        ...known,
        ended: expect.any(String),
        outcome: value,
        content: { text: expect.any(String), answer: `answer ${id}` },
      });
  }
  return items;
}

/** Checks what a process has said, item by item. @returns the number of its items that are open */
function check(writing: Writing, records: ReadonlyMap<string, JournalRecord>, isKilled: boolean): number {
  let open = 0;
  for (const [id, item] of saidItems(writing)) {
    const isOpen = item.ended === undefined;
    const record = records.get(id);
    // A killed process may have stored more than it could say.
    if (isKilled && isOpen && record?.ended !== undefined) continue;
    const outcome = isKilled ? 'interrupted' : undefined;
    expect(record).toMatchObject({
      ...item,
      ...(isOpen ? { outcome } : {}),
      caller: `agent ${writing.seed}`,
    });
    if (isOpen) open += 1;
  }
  return open;
}

/** Fills a disk, or makes place on it. */
function fillDisk(disk: string | undefined, isFull: boolean): void {
  if (disk === undefined) return;
  const file = join(disk, 'fill');
  rmSync(file, { force: true });
  if (isFull) expect(() => writeFileSync(file, Buffer.alloc(MAX_DISK_BYTES))).toThrow('ENOSPC');
}

test(`of several processes ${KILLS} are killed while they write, and the database says what happened, also after a full disk, jumps of the clock and a sleep`, async () => {
  const disk = canMount ? smallDisk(MAX_DISK_BYTES / 1024) : undefined;
  const { state, runtime, open } = place(disk);
  const folders = [state, runtime];
  const killed: Writing[] = [];
  const lasting = startWriting(folders, SEED, 600);
  while (killed.length < KILLS) {
    const seeds = Array.from({ length: WRITERS - 1 }, (_, index) => SEED + 1 + killed.length + index);
    const wave = seeds.map((seed) => startWriting(folders, seed, 10_000));
    fillDisk(disk, (killed.length / seeds.length) % 2 === 1);
    // It sleeps while the others write.
    lasting.child.kill('SIGSTOP');
    setTimeout(() => lasting.child.kill('SIGCONT'), 100);
    await Promise.all(
      wave.map(async (writing) => {
        await said(writing, 1000 + ((writing.seed * 7919) % 9000));
        await kill(writing);
      }),
    );
    killed.push(...wave);
  }
  fillDisk(disk, false);
  await lasting.printed(/"done"/);
  await using journal = open();
  const records = new Map((await journal.records()).map((record) => [record.id, record]));
  expect(check(lasting, records, false)).toBeGreaterThan(4);
  for (const writing of killed) check(writing, records, true);
  await kill(lasting);
  expect(await journal.records({ isOpen: true })).toEqual([]);
  expect(journal.problem).toBeUndefined();
});
