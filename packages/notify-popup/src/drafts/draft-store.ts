import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Milliseconds for which text that was typed and never sent is offered again. */
const KEPT_MS = 24 * 60 * 60_000;

/** The text a person typed and never got to send: at most one. */
export interface DraftStore {
  /** @returns undefined where there is none, or none young enough */
  latest(): Promise<string | undefined>;
  /** Blank text counts as none. */
  keep(text: string): Promise<void>;
  drop(): Promise<void>;
}

/** Keeps the draft in a file of mode 0600, one write after the other. */
export function draftFile(file: string, now: () => Date = () => new Date()): DraftStore {
  let writing: Promise<void> = Promise.resolve();
  const inOrder = (work: () => Promise<void>) => {
    writing = writing.then(work, work);
    return writing;
  };
  const drop = () => inOrder(() => rm(file, { force: true }));
  return {
    async latest() {
      try {
        const { mtime } = await stat(file);
        return now().getTime() - mtime.getTime() < KEPT_MS ? await readFile(file, 'utf8') : undefined;
      } catch {
        return undefined;
      }
    },
    keep: (text) => (isBlank(text) ? drop() : inOrder(() => replace(file, text))),
    drop,
  };
}

/** Keeps the draft as long as the process lives. */
export function draftInMemory(): DraftStore {
  let draft: string | undefined;
  return {
    latest: async () => draft,
    async keep(text) {
      draft = isBlank(text) ? undefined : text;
    },
    async drop() {
      draft = undefined;
    },
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

async function replace(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.next`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, file);
}
