import type { Socket } from 'node:net';
import { delimiter } from 'node:path';
import type { Log } from '@deskside/core';
import { attachedServer } from '@deskside/core/internal';
import { hold, type HolderPlace, type Holding, latestRecord, openFolder, sendLine } from '@deskside/desktop';
import type { Closable } from '@deskside/core/program';
import { localIso } from '@deskside/core/dates';
import { type Aggregator, hasNote } from '@deskside/gateway';
import type { PageClient } from '@deskside/page/protocol';
import type { DeskPage } from '@deskside/page';
import { type Hello, readHello, type SessionHello } from './hello.ts';
import { type Answer, deskPlace, greetDesk, isNewer } from './protocol.ts';
import type { Self } from '@deskside/connect';
import { openSession, type Session } from './session.ts';
import type { DeskStatus } from './desk-status.ts';
import { differences } from './variables.ts';

/** For a desk that a client started. */
const IDLE_MS = 10 * 60 * 1000;
/** For the answer of the present desk. */
const GREETING_MS = 5000;

export interface AttachServerOptions {
  readonly self: Self;
  /** Deskside's user data folder. */
  readonly data: string;
  /** Deskside's variables of this process. */
  readonly settings: Readonly<Record<string, string>>;
  /** True for `deskside http`: it ends only when a person ends it. */
  readonly isExplicit: boolean;
  /** The principal of every session. */
  readonly user: string;
  readonly secret?: string | undefined;
  readonly log: Log;
  readonly aggregator: Pick<Aggregator, 'definition' | 'routes' | 'mountStates'>;
  readonly page: Pick<DeskPage, 'agents' | 'isOpen' | 'openForPerson'>;
  /** The URL of a desk that also serves HTTP. */
  readonly url?: string | undefined;
  /** Ends the process. Default: closes this server. */
  readonly onStop?: () => Promise<void>;
}

/**
 * Becomes the present desk of a folder: if it has none, or if the present desk ends for it.
 *
 * @returns undefined if another desk serves the clients of this folder
 * @throws StartError if the folder cannot be used
 */
export async function openAttachServer(options: AttachServerOptions): Promise<AttachServer | undefined> {
  const { isExplicit } = options;
  const { version } = options.self;
  const place = deskPlace(options.data, options.self);
  const introduction = { kind: 'replace', version, isExplicit } as const;
  openFolder(place.folder, place.uid);
  for (;;) {
    const { number, record } = latestRecord(place);
    const former =
      record &&
      (await greetDesk(record, introduction, AbortSignal.timeout(GREETING_MS)).catch(() => 'busy' as const));
    if (former === 'busy') return undefined;
    former?.socket.destroy();
    if (former?.answer.kind === 'refused') return undefined;
    const desk = new AttachServer(options);
    if (await desk.open(place, number + 1)) return desk;
    // Another one was faster.
  }
}

/** Serves the clients of one user: the part of a desk behind the socket. */
export class AttachServer implements Closable {
  readonly #options: AttachServerOptions;
  readonly #serve: ReturnType<typeof attachedServer>;
  readonly #sessions = new Set<Session>();
  readonly #startedAt = new Date();
  readonly #ended = Promise.withResolvers<void>();
  readonly closed = this.#ended.promise;
  #holding: Holding | undefined;
  #isEnding = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AttachServerOptions) {
    const { log, secret, page } = options;
    this.#options = options;
    this.#serve = attachedServer({ log, ...(secret === undefined ? {} : { secret }) });
    page.agents = {
      list: () => [...this.#sessions].map(clientOf),
      process: (id) => [...this.#sessions].find((session) => session.status().session === id)?.process,
    };
  }

  /** @returns false if another desk took the number */
  async open(place: HolderPlace, number: number): Promise<boolean> {
    const { log } = this.#options;
    this.#holding = await hold(place, number, {
      accept: (introduction, socket) => this.#accept(introduction, socket),
      onError: (error) => log.debug('attach connection failed', { error }),
      onRefused: () => log.warn('attach connection refused'),
    });
    if (this.#holding === undefined) return false;
    this.#waitForSessions();
    return true;
  }

  /** The widest PATH of its clients: a desk that a program of the desktop has started may have a short one. */
  path(): string | undefined {
    const paths = [...this.#sessions].map(({ path = '' }) => path.split(delimiter));
    return paths.toSorted((one, other) => other.length - one.length)[0]?.join(delimiter);
  }

  async #status(): Promise<DeskStatus> {
    const { self, url, aggregator } = this.#options;
    return {
      pid: self.pid,
      version: self.version,
      startedAt: localIso(this.#startedAt),
      url,
      sessions: [...this.#sessions].map((session) => session.status()),
      mounts: [...(await aggregator.mountStates())],
    };
  }

  /** Ends all sessions. Their clients find the next desk when they need one. */
  async close(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    this.#holding?.stop();
    await Promise.all([...this.#sessions].map((session) => session.end()));
    this.#ended.resolve();
  }

  #accept(introduction: Readonly<Record<string, unknown>>, socket: Socket): void {
    const hello = readHello(introduction);
    if (hello === undefined) {
      this.#options.log.warn('attach connection refused');
      socket.destroy();
      return;
    }
    if (hello.kind === 'status') {
      void this.#status().then((status) => answer(socket, { kind: 'status', status }));
    } else if (hello.kind === 'stop') {
      this.#options.log.info('the desk ends: "deskside stop" was run');
      sendLine(socket, { kind: 'stopping' });
      void (this.#options.onStop ?? (() => this.close()))();
      void this.closed.then(() => socket.destroy());
    } else if (this.#isEnding || this.#givesWay(hello)) {
      void this.close();
      answer(socket, { kind: 'leaving' });
    } else if (hello.kind === 'open') {
      void this.#openPage(socket);
    } else if (hello.kind === 'session') {
      const problem = this.#problemOf(hello);
      if (problem === undefined) this.#welcome(hello, socket);
      else answer(socket, { kind: 'refused', reason: problem });
    } else {
      answer(socket, { kind: 'refused', reason: 'another desk serves this user' });
    }
  }

  /**
   * A desk that a client started ends for one that a person starts, and for a newer version of this program, if no call is
   * open. Its clients find the next desk.
   */
  #givesWay(hello: Hello): boolean {
    const { self, isExplicit } = this.#options;
    const isBusy = [...this.#sessions].some((session) => session.status().openCalls > 0);
    if (isExplicit || isBusy) return false;
    if (hello.kind === 'replace' && hello.isExplicit) return true;
    return (hello.kind === 'session' || hello.kind === 'replace') && isNewer(hello.version, self.version);
  }

  /** Why a client cannot be served. */
  #problemOf({ settings, profile }: SessionHello): string | undefined {
    const { settings: own, aggregator } = this.#options;
    const different = differences(settings, own);
    if (different.length > 0) {
      // deskside.toml has the settings of mounts only.
      const remedy = different.some((name) => name.startsWith('DESKSIDE_'))
        ? 'set the same for all clients, then run "deskside stop"'
        : 'set them in deskside.toml instead';
      return `these variables differ from those of the desk: ${different.join(', ')}; ${remedy}`;
    }
    const isKnown = profile === undefined || aggregator.routes.has(`/mcp/p/${profile}`);
    return isKnown ? undefined : `the desk has no profile "${profile}"`;
  }

  async #openPage(socket: Socket): Promise<void> {
    const { page, log } = this.#options;
    try {
      const isOpen = await page.openForPerson();
      answer(socket, isOpen ? { kind: 'opened' } : { kind: 'refused', reason: 'no browser could be opened' });
    } catch (error) {
      log.error('page not opened', { error });
      socket.destroy();
    }
  }

  #welcome(hello: SessionHello, socket: Socket): void {
    const { user, aggregator, log } = this.#options;
    clearTimeout(this.#timer);
    sendLine(socket, { kind: 'welcome' });
    const session = openSession(hello, socket, user, aggregator.definition, this.#serve);
    this.#sessions.add(session);
    log.debug('session attached', { session: hello.session, pid: hello.pid });
    const forget = async () => {
      await session.closed;
      this.#sessions.delete(session);
      log.debug('session ended', { session: hello.session });
      this.#waitForSessions();
    };
    void forget();
  }

  /** Ends ten minutes after the last session, unless its page is open. */
  #waitForSessions(): void {
    const { isExplicit, page } = this.#options;
    if (this.#isEnding || isExplicit || this.#sessions.size > 0) return;
    const end = () => (page.isOpen ? this.#waitForSessions() : void this.close());
    this.#timer = setTimeout(end, IDLE_MS);
  }
}

function clientOf({ status, process }: Session): PageClient {
  const { session, label, name, workingDirectory } = status();
  return {
    // Before the first call only the name and the folder are known.
    label: label ?? name ?? workingDirectory ?? 'An agent',
    session,
    hasNote: hasNote(process),
  };
}

function answer(socket: Socket, text: Answer): void {
  sendLine(socket, text);
  socket.resume();
  socket.end();
}
