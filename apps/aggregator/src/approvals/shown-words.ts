import { readPrivateFile, replaceFile } from '@deskside/core/base';
import * as z from 'zod';
import { whileLocked } from '../files/update.ts';

const content = z.object({ mounts: z.array(z.string()), isSaid: z.boolean().default(false) });
type Content = z.output<typeof content>;

/**
 * The mounts whose words the person has seen at acceptance. Those of an earlier version run every tool until then, so that
 * an update breaks nothing.
 */
export class ShownWords {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async isShown(mount: string): Promise<boolean> {
    return (await this.#read()).mounts.includes(mount);
  }

  show(shown: readonly string[]): Promise<void> {
    return this.#change(({ mounts, isSaid }) => ({ mounts: [...new Set([...mounts, ...shown])], isSaid }));
  }

  /** @returns true the first time */
  async sayOnce(): Promise<boolean> {
    let isFirst = false;
    await this.#change((known) => {
      isFirst = !known.isSaid;
      return { ...known, isSaid: true };
    });
    return isFirst;
  }

  async #read(): Promise<Content> {
    const text = await readPrivateFile(this.#file);
    return text === undefined ? { mounts: [], isSaid: false } : content.parse(JSON.parse(text));
  }

  #change(change: (known: Content) => Content): Promise<void> {
    return whileLocked(this.#file, async () => {
      await replaceFile(this.#file, `${JSON.stringify(change(await this.#read()))}\n`);
    });
  }
}
