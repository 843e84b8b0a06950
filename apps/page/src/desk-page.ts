import type { Log } from '@deskside/core';
import { findTerminal, type Journal, raiseTerminal } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import type { ClientProcess } from '@deskside/core/internal';
import type { PageClient } from './browser/protocol.ts';
import type { LateInbox } from './late-inbox.ts';
import { type CallMount, MountCalls } from './mount-calls.ts';
import { PageAuth } from './page-auth.ts';
import type { PageServer } from './page-server.ts';

export interface DeskPageOptions {
  readonly inbox: LateInbox;
  /** Calls a tool of a mount for the person at the desk. */
  readonly call: CallMount;
  /** Tells the agent of a client something with its next result. */
  readonly leaveNote: (client: ClientProcess, text: string) => void;
  /** Opens a link on a screen. Resolves with false if that failed. */
  readonly open: (link: string) => Promise<boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly journal: Journal;
  readonly log: Log;
}

/** Who uses the desk. */
interface PageAgents {
  list(): readonly PageClient[];
  /** @returns undefined if the session has ended */
  process(session: string): ClientProcess | undefined;
}

/**
 * The page of a desk. Every desk has its own server, on a free port of 127.0.0.1, from the first `deskside open` on: a
 * desk of `deskside stdio` listens on a socket only, and the port of `deskside http` may be reached from elsewhere, is known
 * in advance, and accepts tokens that the page must not have.
 */
export class DeskPage implements AsyncDisposable {
  agents: PageAgents = { list: () => [], process: () => undefined };
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

  /** Opens the page in the person's browser. Nobody else gets its link. @returns false if that failed */
  async openForPerson(): Promise<boolean> {
    return this.#options.open(await this.link());
  }

  /** @returns false if the agent is gone */
  #tell(session: string, text: string): boolean {
    const client = this.agents.process(session);
    if (client !== undefined) this.#options.leaveNote(client, text);
    return client !== undefined;
  }

  /** Raises the terminal of an agent. @returns false if it is not known */
  async #show(session: string): Promise<boolean> {
    const client = this.agents.process(session);
    if (client === undefined) return false;
    // The desk itself may run in another terminal.
    const env = { ...this.#options.env, TMUX: undefined, TMUX_PANE: undefined, ...client.env };
    const { terminal } = await findTerminal({ env, processId: client.pid });
    await raiseTerminal(terminal, env);
    return terminal.window !== undefined || terminal.tmux !== undefined;
  }

  async #open(): Promise<PageServer> {
    const { inbox, call, journal, log } = this.#options;
    // With the document, which no other start needs.
    const [{ openPageServer }, { Feed }, { renderMessage }] = await Promise.all([
      import('./page-server.ts'),
      import('./feed.ts'),
      import('@deskside/look/message'),
    ]);
    const calls = new MountCalls(call);
    const feed = new Feed({
      inbox,
      journal,
      clients: () => this.agents.list(),
      render: (text, plain) => renderMessage(text, plain, []).html,
      clock: systemClock,
    });
    const agents = {
      tell: (session: string, text: string) => this.#tell(session, text),
      show: (session: string) => this.#show(session),
    };
    this.#opened = await openPageServer({ auth: this.#auth, feed, inbox, calls, agents, log });
    return this.#opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#server)?.close();
  }
}
