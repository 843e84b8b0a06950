import { join } from 'node:path';
import { type Journal, noJournal } from '../base/journal.ts';
import { StartError } from '../errors/index.ts';
import { openJournal } from '../journal/journal.ts';
import type { Log } from '../log/log.ts';
import { folders } from './folders.ts';

/** The folder of the journal that all programs of this user write. @throws StartError as `folders` */
export function journalFolder(): string {
  return join(folders().state, 'journal');
}

/** Opens the journal of this user. A user without a home folder has none. */
export function openUserJournal(log: Log): Journal {
  try {
    return openJournal({ folder: journalFolder(), log });
  } catch (error) {
    if (error instanceof StartError) return noJournal;
    throw error;
  }
}

/** The file of "Not now", which all processes of this user read. A user without a home folder has none. */
export function quietFile(): string | undefined {
  try {
    return join(folders().state, 'quiet.json');
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}
