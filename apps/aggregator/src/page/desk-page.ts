import type { Log } from '@deskside/core';
import { systemClock } from '@deskside/core/base';
import type { PageClient } from './browser/protocol.ts';
import type { LateInbox } from './late-inbox.ts';
import { MountCalls } from './mount-calls.ts';
import { PageAuth } from './page-auth.ts';
import type { PageServer } from './page-server.ts';
import type { Mount } from '../mounts/mount.ts';

export interface DeskPageOptions {
  readonly inbox: LateInbox;
  readonly mounts: () => readonly Mount[];
  readonly user: string;
  readonly journalFolder: string | undefined;
  readonly log: Log;
}

/** The variables of the screen on which a link is opened. */
export interface Screen {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The page of a desk. Every desk has its own server, on a free port of 127.0.0.1, from the first `deskside open` on: a
 * desk of `deskside stdio` listens on a socket only, and the port of `deskside http` may be reached from elsewhere, is known
 * in advance, and accepts tokens that the page must not have.
 */
export class DeskPage implements AsyncDisposable {
  /** The agents of the desk. */
  clients: () => readonly PageClient[] = () => [];
  readonly #options: DeskPageOptions;
  readonly #auth = new PageAuth(systemClock);
  #server: Promise<PageServer> | undefined;
  #opened: PageServer | undefined;

  constructor(options: DeskPageOptions) {
    this.#options = options;
  }

  /** True while the person has it open. */
  get isOpen(): boolean {
    return (this.#opened?.streams ?? 0) > 0;
  }

  /** @returns an address for one use within 60 s. The secret is in its fragment, which no browser sends. */
  async link(): Promise<string> {
    this.#server ??= this.#open();
    const { origin } = await this.#server;
    return `${origin}/#${this.#auth.newSecret()}`;
  }

  /** Opens the page in the person's browser. @returns the link if that failed: only a terminal may print it */
  async openOn(screen: Screen): Promise<string | undefined> {
    const { openOnDesktop } = await import('@deskside/notify-popup');
    const link = await this.link();
    return (await openOnDesktop(link, screen)) ? undefined : link;
  }

  async #open(): Promise<PageServer> {
    const { inbox, mounts, user, journalFolder, log } = this.#options;
    // With the document, which no other start needs.
    const [{ openPageServer }, { Feed }] = await Promise.all([
      import('./page-server.ts'),
      import('./feed.ts'),
    ]);
    const calls = new MountCalls(mounts, user, log);
    const feed = new Feed({ inbox, journalFolder, clients: () => this.clients(), clock: systemClock });
    this.#opened = await openPageServer({ auth: this.#auth, feed, inbox, calls, log });
    return this.#opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#server)?.close();
  }
}
