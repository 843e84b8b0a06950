// Is told a database file, and then to open it with the migrations of the next release.
import { BusyRetry } from '../busy-retry.ts';
import { openConnection } from '../sqlite-connection.ts';
import { nextMigrations } from './next-migration.ts';
import { say, told } from './signal.ts';

const file = await told();
say('ready');
await told();
const database = await new BusyRetry(5000).run(() => openConnection(file, nextMigrations));
database.close();
