import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, parseObject, replaceFile } from '@deskside/core/base';
import type { Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import { digestOf } from '@deskside/desktop';
import { watchFile } from '../files/edited.ts';
import { DamagedRecord, privateText, unlessDamaged } from '../files/private-json.ts';
import type { ServerListing } from '../external/listing.ts';
import { joinedPaths } from '../external/transport.ts';
import type { Change } from './compare.ts';

/** What a person has accepted of a server. */
export interface Accepted {
  readonly listing: ServerListing;
  /** Digest of what ran and which names were offered: if it differs, `apply` starts the server on trial. */
  readonly server: string;
  /** What of its lists could not be used. */
  readonly problems?: readonly string[];
  /** PATH of the person who accepted it. */
  readonly path?: string | undefined;
}

/** What a server lists that a person has not accepted. */
export interface Waiting {
  readonly changes: readonly Change[];
  /** What of its lists cannot be used. */
  readonly problems: readonly string[];
  /** Everything that the server listed, for acceptance. */
  readonly listing: ServerListing;
  /** Digest of what ran. */
  readonly server: string;
  /** Kinds and names of what was reported, so that each is reported once. */
  readonly reported: readonly string[];
}

/** Listings of servers on disk. Each file contains the digest of its content. */
export class ListingStore {
  readonly #folder: string;

  /** @param folder next to the accepted copy of deskside.toml */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws DamagedRecord for a file that is not whole, StartError for one that cannot be read */
  accepted(id: string): Promise<Accepted | undefined> {
    return read(this.#file(id, 'accepted'));
  }

  /** Accepts a listing; what waited is part of it or has vanished. */
  async accept(id: string, accepted: Accepted): Promise<void> {
    // First: a desk that learns of the acceptance stores what still waits.
    await rm(this.#file(id, 'waiting'), { force: true });
    await write(this.#file(id, 'accepted'), accepted);
  }

  /** Programs that a person's PATH finds are found from now on. What was found before stays the first. */
  async widenPath(id: string, path: string | undefined): Promise<void> {
    const accepted = await unlessDamaged(() => this.accepted(id));
    const wide = joinedPaths(accepted?.path, path);
    if (accepted === undefined || wide === joinedPaths(accepted.path)) return;
    await write(this.#file(id, 'accepted'), { ...accepted, path: wide });
  }

  /** A damaged file counts as missing: the server is asked again. */
  waiting(id: string): Promise<Waiting | undefined> {
    return unlessDamaged(() => read<Waiting>(this.#file(id, 'waiting')));
  }

  async setWaiting(id: string, waiting: Waiting): Promise<void> {
    await write(this.#file(id, 'waiting'), waiting);
  }

  /**
   * Calls back when a listing is accepted, also by another process.
   *
   * @returns a function that ends it
   */
  watch(id: string, onAccepted: () => void, log: Log): () => void {
    return watchFile(this.#file(id, 'accepted'), onAccepted, (error) =>
      log.warn('acceptance is noticed at the next start only', { mount: id, error: messageOf(error) }),
    );
  }

  /** Forgets a server. */
  async remove(id: string): Promise<void> {
    await rm(this.#file(id, 'accepted'), { force: true });
    await rm(this.#file(id, 'waiting'), { force: true });
  }

  #file(id: string, kind: string): string {
    return join(this.#folder, `${id}.${kind}.json`);
  }
}

async function write(file: string, content: object): Promise<void> {
  await replaceFile(file, `${JSON.stringify({ sha256: digestOf(content), content }, null, 1)}\n`);
}

async function read<T>(file: string): Promise<T | undefined> {
  const text = await privateText(file);
  if (text === undefined) return undefined;
  // More than that may limit what was accepted.
  const { sha256, content, ...more } = parseObject(text) ?? {};
  const isWhole = isObject(content) && sha256 === digestOf(content) && Object.keys(more).length === 0;
  if (!isWhole) throw new DamagedRecord(file);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its digest is ours: `write` wrote it
  return content as T;
}
