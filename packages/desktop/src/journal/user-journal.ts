import { join } from 'node:path';
import { type Journal, noJournal } from './records.ts';
import { unlessStartFails } from '@deskside/core/errors';
import { openJournal } from './journal.ts';
import type { Log } from '@deskside/core';
import { folders } from '@deskside/core/program';

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

/**
 * Opens a server that writes to the journal of this user, for `open` of its program. The journal is closed after it.
 *
 * @param open opens the server itself
 */
export function withUserJournal<Settings, Opened extends AsyncDisposable>(
  open: (settings: Settings, surroundings: { readonly journal: Journal }) => Opened | Promise<Opened>,
): (settings: Settings, surroundings: { readonly log: Log }) => Promise<Opened> {
  return async (settings, { log }) => {
    const journal = openUserJournal(log);
    const opened = await open(settings, { journal });
    const close = opened[Symbol.asyncDispose].bind(opened);
    opened[Symbol.asyncDispose] = async () => {
      await close();
      await journal[Symbol.asyncDispose]();
    };
    return opened;
  };
}
