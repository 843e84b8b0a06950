import { StartError } from '@deskside/core/errors';
import { escapeInvisible, quoted } from '@deskside/core/text';
import { type Accepted, type ListingStore, loginStore } from '@deskside/gateway/servers';
import { accept, type DeskPlaces, type DeskTexts, readTexts } from '@deskside/gateway/config';
import {
  carryOut,
  DESK_TABLE,
  planChange,
  planEdit,
  serversIn,
  addToTomlList,
  editToml,
} from '@deskside/connect';
import { whileLocked } from '@deskside/desktop';

/**
 * Adds an accepted server to deskside.toml and to its accepted copy, as both are now.
 *
 * @throws StartError if the file has a server with this name
 */
export function addServer(
  places: DeskPlaces,
  { id, server, listing }: { readonly id: string; readonly server: unknown; readonly listing: Accepted },
  listings: ListingStore,
): Promise<void> {
  return whileLocked(places.accepted, async () => {
    if (Object.hasOwn(await serversIn(DESK_TABLE, places.file), id)) throw isTaken(places, id);
    await carryOut(await planChange(DESK_TABLE, places.file, id, server), true);
    const { accepted = '' } = await readTexts(places);
    // A running desk follows the copy: what is accepted of the server must be there then.
    await listings.accept(id, listing);
    await accept(places, editToml(accepted, DESK_TABLE.root, id, server));
  });
}

export function isTaken({ file }: DeskPlaces, id: string): StartError {
  return new StartError(`${id} exists already. Run "deskside remove ${id}" first, or edit ${file}.`);
}

/**
 * Removes a server from deskside.toml and from its accepted copy, as both are now.
 *
 * @returns the text of deskside.toml
 * @throws StartError if the file has no such server
 */
export function removeServer(places: DeskPlaces, id: string, listings: ListingStore): Promise<string> {
  return whileLocked(places.accepted, async () => {
    const names = Object.keys(await serversIn(DESK_TABLE, places.file));
    if (!names.includes(id)) {
      const known = names.length === 0 ? 'It has none.' : `It has: ${names.join(', ')}.`;
      throw new StartError(escapeInvisible(`${places.file} has no server ${quoted(id)}. ${known}`));
    }
    const change = await planChange(DESK_TABLE, places.file, id, undefined);
    await carryOut(change, true);
    const { accepted } = await readTexts(places);
    if (accepted !== undefined) await accept(places, editToml(accepted, DESK_TABLE.root, id, undefined));
    await listings.remove(id);
    return change.after;
  });
}

/** What people read about the logins that stay at servers that are removed. */
export async function loginsLeft(ids: readonly string[]): Promise<readonly string[]> {
  const store = loginStore();
  // One that cannot be read is there, too.
  const logins = await Promise.all(ids.map((id) => store.find(id).catch(() => true)));
  const left = ids.filter((_, index) => logins[index] !== undefined);
  return left.map((id) => `You are still logged in at ${id}. To end that: deskside logout ${id}`);
}

/**
 * Accepts the text that was shown, also if deskside.toml has changed meanwhile.
 *
 * @param shown what was compared
 * @param more what is accepted with it
 * @param blocked patterns for `block` by server: what the person left out. They are added to deskside.toml, too.
 * @throws StartError if another command has changed the accepted copy meanwhile
 */
export function acceptShown(
  places: DeskPlaces,
  shown: DeskTexts,
  more: () => Promise<void>,
  blocked: ReadonlyMap<string, readonly string[]> = new Map(),
): Promise<void> {
  const edit = (text: string) =>
    [...blocked].reduce(
      (before, [id, globs]) => addToTomlList(before, DESK_TABLE.root, id, 'block', globs),
      text,
    );
  return whileLocked(places.accepted, async () => {
    let isDamaged = false;
    const { accepted } = await readTexts(places, () => (isDamaged = true));
    if (accepted !== shown.accepted && accepted !== shown.current) {
      throw new StartError(
        'Nothing was applied: another command has changed what is accepted. Run "deskside apply" again.',
      );
    }
    if (blocked.size > 0) await carryOut(await planEdit(places.file, edit), true);
    await more();
    const current = shown.current === undefined ? undefined : edit(shown.current);
    if (isDamaged || current !== accepted) await accept(places, current);
  });
}
