/** Opens the desk database and stores one item when its input ends: `node open-program.ts STATE`. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createLog } from '@deskside/core';
import { openJournal } from '../journal/journal.ts';

const [, , state = ''] = process.argv;
const log = createLog({ level: 'warn', write: (line) => writeSync(2, line) });
writeSync(1, 'ready\n');
await once(process.stdin.resume(), 'end');
await using journal = openJournal({ places: { state, runtime: [] }, log });
journal.begin({ kind: 'news', caller: 'a', user: 'owner' }).end('closed');
