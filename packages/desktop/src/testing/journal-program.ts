/**
 * Writes random items to the desk database and prints each step after it is stored, until it is killed or has done its
 * rounds: `node journal-program.ts STATE RUNTIME SEED ROUNDS`. Its clock jumps.
 */
import { type Scheduler, systemClock } from '@deskside/core/base';
import { randomOf } from '@deskside/core/testing/random';
import { openJournal } from '../journal/journal.ts';
import type { JournalItem } from '../journal/records.ts';

const [, , state = '', runtime = '', seed = '1', rounds = '1'] = process.argv;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// Not that of core: the whole kernel would be loaded.
const nothing = () => undefined;
const log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

/** The run is the same for a seed. */
const random = randomOf(Number(seed));
let jumpedMs = 0;
const clock: Scheduler = { ...systemClock, now: () => new Date(Date.now() + jumpedMs) };
const journal = openJournal({ places: { state, runtime: [runtime] }, log, clock });

const KINDS = ['question', 'news', 'notification', 'approval', 'call'] as const;
const OUTCOMES = ['answered', 'cancelled', 'timed out', 'delivered', 'ok'] as const;
const open: JournalItem[] = [];
let said = '';

function say(step: readonly unknown[]): void {
  said += `${JSON.stringify(step)}\n`;
}

/** Waits for the reader: a busy one does not take all at once. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}

function step(): void {
  const item = open[random(open.length)];
  switch (item === undefined ? 0 : random(5)) {
    case 0:
    case 1: {
      const kind = KINDS[random(KINDS.length)] ?? 'call';
      const content = { text: 'x'.repeat(random(2000)) };
      const begun = journal.begin({ kind, caller: `agent ${seed}`, user: 'owner', content });
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
      item?.end(outcome, 'window', `answer ${item.id}`);
      open.splice(0, open.length, ...open.filter((other) => other !== item));
      say(['end', item?.id, outcome]);
    }
  }
}

for (let round = 0; round < Number(rounds); round += 1) {
  if (random(20) === 0) jumpedMs = (random(5) - 2) * DAY_MS + random(2) * HOUR_MS;
  for (let count = random(8); count >= 0; count -= 1) step();
  await new Promise<void>((done) => journal.database?.write({ run: () => undefined, done }));
  await print(said);
  said = '';
}
await print('["done"]\n');
// The items that are open stay so until the process is killed.
process.stdin.resume();
