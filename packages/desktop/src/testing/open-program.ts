/** Opens the desk database and stores one item, at a time that all its processes know: `node open-program.ts STATE AT`. */
import { writeSync } from 'node:fs';
import { createLog } from '@deskside/core';
import { openJournal } from '../journal/journal.ts';

const [, , state = '', at = '0'] = process.argv;
const log = createLog({ level: 'warn', write: (line) => writeSync(2, line) });
writeSync(1, 'ready\n');
while (Date.now() < Number(at));
await using journal = openJournal({ places: { state, runtime: [] }, log });
journal.begin({ kind: 'news', caller: 'a', user: 'owner' }).end('closed');
