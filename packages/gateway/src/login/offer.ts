import { randomUUID } from 'node:crypto';
import type { Log, RequestContext } from '@deskside/core';
import { type Clock, systemClock } from '@deskside/core/base';
import { messageOf } from '@deskside/core/errors';
import type { InboxRequest } from '@deskside/desktop';
import { displayOf, type Person } from '../approvals/question.ts';
import { ownNews } from '../approvals/texts.ts';
import type { ExternalSpec } from '../external/spec.ts';
import { LOGIN_TIMEOUT_MS, logIn } from './log-in.ts';
import type { LoginStore } from './login-store.ts';

/** After "Not now". */
const PAUSE_MS = 15 * 60_000;

export interface LoginOfferOptions {
  readonly id: string;
  readonly spec: Pick<ExternalSpec, 'server'>;
  readonly store: LoginStore;
  /** The user at the desk: nobody else sees the window. */
  readonly user: string;
  /** Undefined if nothing can ask the person. */
  readonly person: () => Promise<Person | undefined>;
  /** Where the person is logged in. @returns false if no browser opens */
  readonly openBrowser: (address: string) => Promise<boolean>;
  readonly log: Log;
  readonly clock?: Pick<Clock, 'elapsedMs'>;
}

/** Offers the person the login of one server when a call needs it. One at a time. */
export class LoginOffer implements Disposable {
  readonly #options: LoginOfferOptions;
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #closing = new AbortController();
  #isOpen = false;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: LoginOfferOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Returns at once: the call does not wait for it.
   *
   * @param sentence says that the server needs a login
   */
  offer(sentence: string, ctx: RequestContext): void {
    const { user, log, id } = this.#options;
    const isPaused = this.#clock.elapsedMs() < this.#pausedUntilMs;
    if (ctx.principal.user !== user || this.#isOpen || isPaused) return;
    this.#isOpen = true;
    void this.#ask(sentence, ctx)
      .catch((error: unknown) => log.error('login not offered', { mount: id, error: messageOf(error) }))
      .finally(() => {
        this.#isOpen = false;
      });
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #ask(sentence: string, { caller }: RequestContext): Promise<void> {
    const { id, user, person, log } = this.#options;
    const popup = await person();
    if (popup === undefined) return;
    const { theme, inbox } = popup;
    const request: InboxRequest = {
      kind: 'approval',
      message: `Log in to ${id}?`,
      title: 'Deskside: log in?',
      timeout: LOGIN_TIMEOUT_MS / 1000,
      theme,
      showsHistory: false,
      chimes: false,
      caller: caller.label(),
      approval: {
        arguments: [],
        calls: 1,
        claim: `${sentence} Your browser opens for it.`,
        more: [],
        isExact: false,
        offer: { accept: 'Log in', refuse: 'Not now' },
      },
    };
    const client = await popup.personsDesktop();
    const about = { session: undefined, signal: this.#closing.signal, log, client };
    const { kind } = await inbox.ask(request, {
      ...about,
      item: { id: randomUUID(), user, project: caller.project, mount: id, display: displayOf(client) },
    });
    if (kind === 'denied' || kind === 'dismissed') this.#pausedUntilMs = this.#clock.elapsedMs() + PAUSE_MS;
    if (kind !== 'allowed') return;
    const message = await this.#logIn();
    if (this.#closing.signal.aborted) return;
    await inbox.ask(ownNews(message, 'Deskside: login', theme), about);
  }

  /** @returns what has happened */
  async #logIn(): Promise<string> {
    const { id, spec, store, openBrowser } = this.#options;
    const terminal = `Run "deskside login ${id}" in a terminal.`;
    const withoutBrowser = new AbortController();
    const show = async ({ href }: URL) => {
      if (!(await openBrowser(href).catch(() => false))) withoutBrowser.abort();
    };
    try {
      const server = await spec.server();
      if (!('url' in server)) throw new Error(`${id} is a command.`);
      await logIn({
        id,
        server: server.url,
        headers: server.headers,
        client: server.client,
        store,
        show: (address) => void show(address),
        pasted: new Promise(() => undefined),
        signal: AbortSignal.any([this.#closing.signal, withoutBrowser.signal]),
      });
      return `You are logged in to ${id}.`;
    } catch (error) {
      return withoutBrowser.signal.aborted
        ? `No browser opens here. ${terminal}`
        : `${messageOf(error)} The next call that needs it offers it again. ${terminal}`;
    }
  }
}
