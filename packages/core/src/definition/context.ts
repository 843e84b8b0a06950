import type {
  ClientCapabilities,
  ElicitRequestFormParams,
  ElicitResult,
  Implementation,
  ListRootsResult,
  LoggingLevel,
  Result,
} from '@modelcontextprotocol/server';
import type { KnownClient } from './known-client.ts';
import type { ToolName } from '../errors/index.ts';
import type { Log } from '../log.ts';

export {
  acceptedContent,
  inputRequired,
  inputResponse,
  isInputRequiredResult as isInputRequired,
} from '@modelcontextprotocol/server';

export type Awaitable<T> = T | Promise<T>;

/** `legacy` starts with `initialize` (2024-11-05 to 2025-11-25), `modern` is stateless (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** For example the claims of a JSON Web Token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The authenticated caller: the configured user on stdio, the user of the bearer token over HTTP. */
export interface Principal<UserClaims extends Claims = Claims> {
  readonly user: string;
  /** The name of the bearer token, or of an attached client. The owner of this machine chose it; the client did not. */
  readonly token?: string;
  /** The selection of mounts and tools that the token is limited to. */
  readonly profile?: string;
  /** What an access token allows. Undefined: no access token, so no limit. */
  readonly scopes?: readonly string[];
  /** What an access token says about the user, or what the application says. */
  readonly claims?: UserClaims;
}

/**
 * The process of a client that another process serves: `deskside stdio`, attached to a desk. Its own windows and
 * programs must use this environment, not that of the server.
 */
export interface ClientProcess {
  readonly pid: number;
  /** Undefined if the folder was deleted. */
  readonly workingDirectory: string | undefined;
  /** Variables of its display and its desktop session, and those that name its project. */
  readonly env: Readonly<Record<string, string>>;
}

/** The folders that a client of the legacy era works in. */
export interface ClientRoots {
  /** Asks the client. @throws Error if it does not answer: over HTTP that needs its stream */
  list(): Promise<ListRootsResult>;
  /** Calls back when the client says that they have changed. @returns a function that ends it */
  onChanged(listener: () => void): () => void;
}

/** Who makes a call. Decide by `principal` and `session`; `client`, `project` and `label()` are for people to read. */
export interface Caller {
  readonly principal: Principal;
  /** The program as it names itself. It proves nothing. */
  readonly client: Implementation | undefined;
  /** What is known of such a program: it is as true as its name. */
  readonly known?: KnownClient | undefined;
  /**
   * One conversation. A client may name it in `_meta` (`deskside/session`, `vscode.conversationId`, `threadId` or
   * `ai.opencode/sessionID`); else it is the stdio process or the `Mcp-Session-Id`. Undefined for a request of the
   * modern era over HTTP that names none: such a call may belong to any conversation. It is not proof of identity.
   */
  readonly session: string | undefined;
  /** Principal and session, or principal and token, as one text: for limits per caller. */
  readonly key: string;
  /** Principal and connection, or principal and token, as one text: whatever conversation the client names. */
  readonly connection: string;
  /** The name of the project's folder, else of the token. */
  readonly project: string | undefined;
  /** Undefined if this process serves the client directly. */
  readonly process?: ClientProcess | undefined;
  /** Aborted when the connection of the session ends; undefined if nothing reports that. */
  readonly ended?: AbortSignal | undefined;
  /** Undefined in the modern era, in which a call asks for them with `inputRequired`. */
  readonly roots?: ClientRoots | undefined;
  /**
   * The name that the person gave the client (`--as`, or its token's), else its usual name, else its own claim, and the
   * project: `Claude Code · my-project`. Escaped and of limited length.
   */
  label(): string;
}

/** What a listing depends on. Use the same `toolName` function for each call: listings are cached per function. */
export interface View<UserClaims extends Claims = Claims> {
  readonly era: Era;
  readonly toolName: ToolName;
  readonly principal: Principal<UserClaims>;
  /** Who asks. Undefined if the list is not for one client. */
  readonly caller?: Pick<Caller, 'known'> | undefined;
}

/**
 * Asks the client for more input during a call: return `inputRequired({...})`, and the call runs again with the
 * answers in `responses`. The same code serves both eras.
 */
export interface InputExchange {
  readonly capabilities: ClientCapabilities;
  /** Untrusted. Read it with `acceptedContent` or `inputResponse`. */
  readonly responses: Record<string, unknown> | undefined;
  /**
   * Asks with a form while the call runs. Aborting the signal withdraws the form. Only the legacy era has such requests;
   * undefined in the modern era, where a call returns `inputRequired`.
   */
  readonly elicit?:
    | ((form: ElicitRequestFormParams, signal: AbortSignal) => Promise<ElicitResult>)
    | undefined;
  /** Sends any question of the protocol as `elicit` sends a form, for a server that passes on the questions of others. */
  readonly ask?:
    | ((
        method: 'elicitation/create' | 'roots/list' | 'sampling/createMessage',
        params: Readonly<Record<string, unknown>> | undefined,
        signal: AbortSignal,
      ) => Promise<Result>)
    | undefined;
  /** Returns the verified payload that an earlier round sealed; undefined in the first round. */
  state(): unknown;
  /**
   * Seals JSON for `inputRequired({ requestState })`. The state is encrypted, valid for ten minutes, and accepted only
   * from the same user, for the same method, the same tool, prompt or resource, and the same arguments. Another
   * process with the same secret accepts it, too.
   */
  seal(payload: unknown): Promise<string>;
}

/**
 * What a handler knows about its request, and what it can do besides answering it.
 *
 * @typeParam UserClaims what the verifier of the server returns
 */
export interface RequestContext<UserClaims extends Claims = Claims> extends View<UserClaims> {
  readonly caller: Caller;
  /** On `stdio` the client runs on this machine; over `http` it may run anywhere. */
  readonly transport: 'stdio' | 'http';
  /** `_meta` of the request, without the keys of the protocol's own envelope. The client's own claim. */
  readonly meta: Readonly<Record<string, unknown>>;
  /**
   * Aborted if the request is cancelled, the client disconnects or the server closes. In a session over HTTP a lost
   * connection is no cancellation.
   */
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly log: Log;
  readonly input: InputExchange;
  /**
   * Whether the client is offered this tool, by the name that it knows. Undefined if the server is alone at its address:
   * then it knows its own tools.
   */
  readonly offers?: ((tool: string) => Promise<boolean>) | undefined;
  /**
   * Waits for a person. Meanwhile the call does not count among the calls of its session that run at the same time.
   */
  waitForPerson<T>(work: () => Promise<T>): Promise<T>;
  /** Sends progress if the request asked for it. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /**
   * Sends an MCP log message in the eras that the server lists in `logging`. In the modern era it is sent only if
   * the request asked for that level. In the legacy era a client that set no level receives every message.
   */
  message(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
  /** The level of the log messages that the request, or in the legacy era its client, asks for; undefined if for none. */
  readonly messageLevel?: LoggingLevel | undefined;
}

/** Suggests values for the text typed so far. `given` holds the other arguments. */
export type Completer<Deps> = (
  typed: string,
  given: Readonly<Record<string, string>>,
  deps: Deps,
  ctx: RequestContext,
) => Awaitable<readonly string[]>;
