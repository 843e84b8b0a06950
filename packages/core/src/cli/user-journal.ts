import { join } from 'node:path';
import { type Journal, noJournal } from '../base/journal.ts';
import { unlessStartFails } from '../errors/index.ts';
import { openJournal } from '../journal/journal.ts';
import type { Log } from '../log/log.ts';
import { folders } from './folders.ts';

/** The folder of the journal that all programs of this user write. @throws StartError as `folders` */
export function journalFolder(): string {
  return join(folders().state, 'journal');
}

/** Opens the journal of this user. A user without a home folder has none. */
export function openUserJournal(log: Log): Journal {
  return unlessStartFails(() => openJournal({ folder: journalFolder(), log })) ?? noJournal;
}

/** The file of "Not now", which all processes of this user read. A user without a home folder has none. */
export function quietFile(): string | undefined {
  return unlessStartFails(() => join(folders().state, 'quiet.json'));
}
