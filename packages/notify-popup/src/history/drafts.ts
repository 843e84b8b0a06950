import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const DRAFT_LIFETIME_MS = 24 * 60 * 60_000;

/** The last text that the person typed but did not send. */
export interface DraftStore {
  /** @returns undefined if no draft exists or the draft is older than 24 hours */
  read(): Promise<string | undefined>;
  /** Blank text deletes the draft. */
  save(text: string): Promise<void>;
  delete(): Promise<void>;
}

/** Stores the draft in a file with mode 0600. Writes run one after the other. */
export function fileDraftStore(file: string, now: () => Date = () => new Date()): DraftStore {
  let lastWrite: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>) => {
    lastWrite = lastWrite.then(work, work);
    return lastWrite;
  };
  const remove = () => inOrder(() => rm(file, { force: true }));
  return {
    async read() {
      try {
        const { mtime } = await stat(file);
        const age = now().getTime() - mtime.getTime();
        return age < DRAFT_LIFETIME_MS ? await readFile(file, 'utf8') : undefined;
      } catch {
        return undefined;
      }
    },
    save: (text) => (isBlank(text) ? remove() : inOrder(() => replaceFile(file, text))),
    delete: remove,
  };
}

/** Stores the draft until the process ends. */
export function memoryDraftStore(): DraftStore {
  let draft: string | undefined;
  return {
    read: async () => draft,
    async save(text) {
      draft = isBlank(text) ? undefined : text;
    },
    async delete() {
      draft = undefined;
    },
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.next`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}
