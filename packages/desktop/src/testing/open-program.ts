/** Opens the desk database and stores one item when its input ends: `node open-program.ts STATE`. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { openJournal } from '../journal/journal.ts';

const [, , state = ''] = process.argv;
// Not the log of core: the whole kernel would be loaded.
const warn = (message: string) => void writeSync(2, message);
const log = { error: warn, warn, info: () => undefined, debug: () => undefined };
writeSync(1, 'ready\n');
await once(process.stdin.resume(), 'end');
await using journal = openJournal({ places: { state, runtime: [] }, log });
journal.begin({ kind: 'news', caller: 'a', user: 'owner' }).end('closed');
