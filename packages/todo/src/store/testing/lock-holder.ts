// Is told a database file, locks it, says so, and lets go when told again.
import Database from 'better-sqlite3';
import { say, told } from './signal.ts';

const database = new Database(await told());
database.exec('BEGIN EXCLUSIVE');
say('locked');
await told();
database.exec('ROLLBACK');
database.close();
