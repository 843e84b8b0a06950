import * as z from 'zod';
import { PrivateJson } from '../files/private-json.ts';

const content = z.object({ mounts: z.array(z.string()), isSaid: z.boolean().default(false) });

/**
 * The mounts whose words the person has seen at acceptance. Those of an earlier version run every tool until then, so that
 * an update breaks nothing.
 */
export class ShownWords {
  readonly #stored: PrivateJson<z.output<typeof content>>;

  constructor(file: string) {
    this.#stored = new PrivateJson(file, content, { mounts: [], isSaid: false }, 'The list of mounts');
  }

  async isShown(mount: string): Promise<boolean> {
    return (await this.#stored.read()).mounts.includes(mount);
  }

  show(shown: readonly string[]): Promise<void> {
    return this.#stored.change(({ mounts, isSaid }) => ({
      value: { mounts: [...new Set([...mounts, ...shown])], isSaid },
      answer: undefined,
    }));
  }

  /** @returns true the first time */
  sayOnce(): Promise<boolean> {
    return this.#stored.change((known) => ({ value: { ...known, isSaid: true }, answer: !known.isSaid }));
  }
}
