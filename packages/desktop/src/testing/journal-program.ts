/**
 * Writes random items to a journal and prints each step after it was written, until it is killed or has done its rounds:
 * `node journal-program.ts FOLDER SEED ROUNDS`.
 */
import { writeSync } from 'node:fs';
import { type Scheduler, systemClock } from '@deskside/core/base';
import type { JournalItem } from '../journal/records.ts';
import { openJournal } from '../journal/journal.ts';
import { silentLog } from '@deskside/core';

const [, , folder = '', seed = '1', rounds = '1'] = process.argv;
/** Writes at the end of each turn of the event loop. */
const clock: Scheduler = { ...systemClock, after: (_delayMs, run) => clear(setImmediate(run)) };
const journal = openJournal({ folder, log: silentLog, clock });

function clear(immediate: NodeJS.Immediate): () => void {
  return () => clearImmediate(immediate);
}

const KINDS = ['question', 'news', 'notification', 'approval', 'call'] as const;
const OUTCOMES = ['answered', 'cancelled', 'timed out', 'delivered', 'ok'] as const;

let state = Number(seed);
/** A linear congruential generator: the run is the same for a seed. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

const open: JournalItem[] = [];
let said = '';

function say(step: readonly unknown[]): void {
  said += `${JSON.stringify(step)}\n`;
}

function step(): void {
  const item = open[random(open.length)];
  switch (item === undefined ? 0 : random(5)) {
    case 0:
    case 1: {
      const kind = KINDS[random(KINDS.length)] ?? 'call';
      const begun = journal.begin({
        kind,
        caller: `agent ${seed}`,
        user: 'owner',
        tool: 'x'.repeat(random(200)),
      });
      open.push(begun);
      return say(['begin', begun.id, kind]);
    }
    case 2:
      item?.shown();
      return say(['shown', item?.id]);
    case 3:
      item?.seen();
      return say(['seen', item?.id]);
    default: {
      const outcome = OUTCOMES[random(OUTCOMES.length)] ?? 'ok';
      item?.end(outcome);
      open.splice(0, open.length, ...open.filter((other) => other !== item));
      say(['end', item?.id, outcome]);
    }
  }
}

for (let round = 0; round < Number(rounds); round += 1) {
  for (let count = random(8); count >= 0; count -= 1) step();
  // Behind the journal's own turn.
  await new Promise((resolve) => setImmediate(resolve));
  writeSync(1, said);
  said = '';
}
writeSync(1, '["done"]\n');
// The items that are open stay so until the process is killed.
process.stdin.resume();
