import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const DRAFT_LIFETIME_MS = 24 * 60 * 60_000;

const draftSchema = z.object({
  /** One per question. */
  id: z.string(),
  text: z.string(),
  /** The first line of the question. */
  question: z.string(),
  caller: z.string(),
  /** ISO 8601, in UTC. */
  savedAt: z.iso.datetime(),
});

/** A text that the person typed but did not send. */
export type Draft = Readonly<z.output<typeof draftSchema>>;

export interface DraftStore {
  /** The drafts of the last 24 hours, the latest first. */
  list(): Promise<readonly Draft[]>;
  /** Replaces the draft with the same id. Blank text deletes it. */
  save(draft: Omit<Draft, 'savedAt'>): Promise<void>;
  delete(id: string): Promise<void>;
}

/** Stores the drafts in a file with mode 0600. Writes run one after the other. */
export function fileDraftStore(file: string, now: () => Date = () => new Date()): DraftStore {
  const read = async () => {
    try {
      return z.array(draftSchema).parse(JSON.parse(await readFile(file, 'utf8')));
    } catch {
      return [];
    }
  };
  return draftStore(read, (drafts) => replaceFile(file, JSON.stringify(drafts)), now);
}

/** Stores the drafts until the process ends. */
export function memoryDraftStore(now: () => Date = () => new Date()): DraftStore {
  let stored: readonly Draft[] = [];
  const write = async (drafts: readonly Draft[]) => {
    stored = drafts;
  };
  return draftStore(async () => stored, write, now);
}

function draftStore(
  read: () => Promise<readonly Draft[]>,
  write: (drafts: readonly Draft[]) => Promise<void>,
  now: () => Date,
): DraftStore {
  let lastWrite: Promise<void> = Promise.resolve();
  const list = async () => {
    const oldest = now().getTime() - DRAFT_LIFETIME_MS;
    return (await read()).filter(({ savedAt }) => Date.parse(savedAt) > oldest);
  };
  const replace = (id: string, added: readonly Draft[]) => {
    const work = async () => write([...added, ...(await list()).filter((draft) => draft.id !== id)]);
    lastWrite = lastWrite.then(work, work);
    return lastWrite;
  };
  return {
    list,
    save: (draft) =>
      replace(draft.id, draft.text.trim() === '' ? [] : [{ ...draft, savedAt: now().toISOString() }]),
    delete: (id) => replace(id, []),
  };
}

async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${randomUUID()}`;
  await writeFile(next, text, { mode: 0o600 });
  try {
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
