import type { Log } from '@deskside/core';
import { deskPlaces } from '../database/places.ts';
import { openJournal } from './journal.ts';
import type { Journal } from './records.ts';

/** Opens the journal of this user, in the database that all programs of the user share. */
export function openUserJournal(log: Log): Journal {
  return openJournal({ places: deskPlaces(), log });
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
