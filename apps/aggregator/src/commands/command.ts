import type { Invocation } from '@deskside/core';

/** A subcommand of `deskside`. */
export interface Command {
  /** Its words: `token show`. */
  readonly words: string;
  readonly summary: string;
  /** The help of its options, if it has any. */
  readonly options?: string;
  /** @throws StartError for what the person can mend */
  run(invocation: Invocation): Promise<void>;
}
