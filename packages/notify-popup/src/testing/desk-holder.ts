/** A process that acquires the lock in a folder and keeps it until it is killed. */
import { acquireLock } from '../desktop/lock.ts';

const [, , folder = ''] = process.argv;
await acquireLock(folder, new AbortController().signal);
process.send?.('acquired');
