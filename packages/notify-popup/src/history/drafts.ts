import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile, type Scheduler, systemClock } from '@deskside/core/base';
import { isBlank } from '@deskside/core/text';
import * as z from 'zod';

const DRAFT_LIFETIME_MS = 24 * 60 * 60_000;
const LOOK_INTERVAL_MS = 60 * 60_000;

/** An id is also a file name. */
const DRAFT_ID = /^[\w-]{1,64}$/;

const draftSchema = z.object({
  /** One per question: letters, digits, `_` and `-`. */
  id: z.string().regex(DRAFT_ID),
  text: z.string(),
  /** What the question asks, on one line. */
  question: z.string(),
  caller: z.string(),
  /** Of the caller. */
  user: z.string(),
  project: z.string().exactOptional(),
  /** ISO 8601, in UTC. */
  savedAt: z.iso.datetime(),
});

/** A text that the person typed but did not send. */
export type Draft = Readonly<z.output<typeof draftSchema>>;

export type DraftStore = ReturnType<typeof draftStore>;

/**
 * Stores each draft in a file with mode 0600, in a folder with mode 0700: processes that write at the same time lose
 * nothing of each other. Files older than 24 hours are deleted.
 */
export function fileDraftStore(folder: string, now: () => Date = () => new Date()): DraftStore {
  const fileOf = (id: string) => join(folder, `${id}.json`);
  return draftStore(now, {
    async read() {
      const names = await readdir(folder).catch(() => []);
      const ids = names
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length));
      const drafts = await Promise.all(ids.map((id) => readDraft(id, fileOf(id))));
      return drafts.filter((draft) => draft !== undefined);
    },
    write: (draft) => replaceFile(fileOf(draft.id), JSON.stringify(draft)),
    remove: (id) => rm(fileOf(id), { force: true }),
  });
}

/**
 * Deletes what expires, without a question that lists it.
 *
 * @returns a function that ends it
 */
export function expireDrafts(drafts: DraftStore, clock: Scheduler = systemClock): () => void {
  let cancel: () => void;
  const look = () => {
    void drafts.list();
    cancel = clock.after(LOOK_INTERVAL_MS, look, { isBackground: true });
  };
  look();
  return () => cancel();
}

/** Stores the drafts until the process ends. */
export function memoryDraftStore(now: () => Date = () => new Date()): DraftStore {
  const drafts = new Map<string, Draft>();
  return draftStore(now, {
    read: async () => [...drafts.values()].toReversed(),
    write: async (draft) => void drafts.set(draft.id, draft),
    remove: async (id) => void drafts.delete(id),
  });
}

interface Storage {
  /** In any order. Never rejects. */
  read(): Promise<readonly Draft[]>;
  write(draft: Draft): Promise<void>;
  remove(id: string): Promise<void>;
}

function draftStore(now: () => Date, { read, write, remove }: Storage) {
  let lastWrite: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>) => {
    lastWrite = lastWrite.then(work, work);
    return lastWrite;
  };
  /** A draft of a wrong date in the future would stay for years. */
  const expires = ({ savedAt }: Draft) =>
    Math.abs(now().getTime() - Date.parse(savedAt)) >= DRAFT_LIFETIME_MS;

  return {
    /** The drafts of the last 24 hours, the latest first. Includes everything saved before the call. */
    async list(): Promise<readonly Draft[]> {
      // The caller of the write got the error.
      await lastWrite.catch(() => undefined);
      const drafts = await read();
      for (const { id } of drafts.filter(expires)) {
        // An expired draft is not listed; each list tries to remove it again.
        await inOrder(() => remove(id)).catch(() => undefined);
      }
      return drafts
        .filter((draft) => !expires(draft))
        .toSorted((one, other) => other.savedAt.localeCompare(one.savedAt));
    },
    /** Replaces the draft with the same id. Blank text deletes it. Rejects if it cannot be stored. */
    save: (draft: Omit<Draft, 'savedAt'>): Promise<void> =>
      inOrder(() =>
        isBlank(draft.text)
          ? remove(draft.id)
          : write(draftSchema.parse({ ...draft, savedAt: now().toISOString() })),
      ),
    /** Does nothing if the draft does not exist. The id comes from a page. */
    delete: (id: string): Promise<void> => inOrder(async () => (DRAFT_ID.test(id) ? remove(id) : undefined)),
  };
}

/** @returns undefined if the file cannot be read or is not the draft with this id */
async function readDraft(id: string, file: string): Promise<Draft | undefined> {
  try {
    const draft = draftSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return draft.id === id ? draft : undefined;
  } catch {
    return undefined;
  }
}
