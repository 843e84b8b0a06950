import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseObject, replaceFile } from '@deskside/core/base';
import type { Log } from '@deskside/core';
import { messageOf } from '@deskside/core/errors';
import * as z from 'zod';
import { readable, watchFile } from '../files/update.ts';
import type { ServerListing } from '../external/listing.ts';
import { digestOf } from '../files/digest.ts';
import type { Change } from './compare.ts';

/** What a person has accepted of a server. */
export interface Accepted {
  readonly listing: ServerListing;
  /** Digest of what ran and which names were offered: if it differs, `apply` starts the server on trial. */
  readonly server: string;
}

/** What a server lists that a person has not accepted. */
export interface Waiting {
  readonly changes: readonly Change[];
  /** What of its lists cannot be used. */
  readonly problems?: readonly string[];
  /** Everything that the server listed, for acceptance. */
  readonly listing: ServerListing;
  /** Digest of what ran. */
  readonly server: string;
  /** Kinds and names of what was reported, so that each is reported once. */
  readonly reported: readonly string[];
}

const items = z.array(z.looseObject({ name: z.string() }));
const listingShape = z.looseObject({
  serverInfo: z.looseObject({ name: z.string(), version: z.string() }),
  protocolVersion: z.string(),
  capabilities: z.looseObject({}),
  instructions: z.string().optional(),
  tools: items,
  prompts: items,
  resources: z.array(z.looseObject({ uri: z.string() })),
  resourceTemplates: items,
});
const acceptedShape = z.looseObject({ listing: listingShape, server: z.string() });
const waitingShape = z.looseObject({
  changes: z.array(z.looseObject({ kind: z.string(), name: z.string() })),
  problems: z.array(z.string()).optional(),
  listing: listingShape,
  server: z.string(),
  reported: z.array(z.string()),
});

/**
 * Listings of servers on disk. Each file contains the digest of its content: a damaged one, or one of another
 * version, counts as missing.
 */
export class ListingStore {
  readonly #folder: string;

  /** @param folder next to the accepted copy of deskside.toml */
  constructor(folder: string) {
    this.#folder = folder;
  }

  accepted(id: string): Promise<Accepted | undefined> {
    return read<Accepted>(this.#file(id, 'accepted'), acceptedShape);
  }

  /** Accepts a listing; what waited is part of it or has vanished. */
  async accept(id: string, accepted: Accepted): Promise<void> {
    await write(this.#file(id, 'accepted'), accepted);
    await rm(this.#file(id, 'waiting'), { force: true });
  }

  waiting(id: string): Promise<Waiting | undefined> {
    return read<Waiting>(this.#file(id, 'waiting'), waitingShape);
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

const envelope = z.object({ sha256: z.string(), content: z.unknown() });

async function read<T>(file: string, shape: z.ZodType): Promise<T | undefined> {
  const text = await readable(file);
  if (text === undefined) return undefined;
  const { data } = envelope.safeParse(parseObject(text));
  if (data === undefined || data.sha256 !== digestOf(data.content)) return undefined;
  if (!shape.safeParse(data.content).success) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its digest is ours, and its shape was checked
  return data.content as T;
}
