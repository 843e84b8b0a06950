import type { ApprovalRules } from '../mounts/mount.ts';

/** A program that speaks MCP on stdin and stdout. */
export interface ServerCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables with their values, without references to secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of variables of the desk's own environment that the program gets. */
  readonly env_vars?: readonly string[];
  readonly cwd?: string;
  /** PATH of the person who accepted it: searched before that of the desk, which a program of the desktop may have started. */
  readonly path?: string | undefined;
}

/** A server that speaks Streamable HTTP. */
export interface ServerAddress {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly login?: ServerLogin;
  /** Registered there by the person, or the https address of a client id document. */
  readonly client?: LoginClient;
}

export interface LoginClient {
  readonly id: string;
  readonly secret?: string;
}

/** What `deskside login` has stored of a server. */
export interface ServerLogin {
  /** The access token, renewed if it has expired. Undefined without a login. @throws LoginNeeded */
  token(): Promise<string | undefined>;
  /** @param refused the token that the server does not accept @throws LoginNeeded without another one */
  renewed(refused: string | undefined): Promise<string>;
  /** Whether an authorization server is asked for a new token now. */
  readonly isRenewing: boolean;
  /** The server demands a scope that the login does not have. */
  lacks(scope: string): Promise<void>;
}

/** Each user of the desk has a login of their own. */
export interface UserLogins {
  /** The user at the desk. */
  readonly owner: string;
  /** The server with the login of another user. Undefined if no login is known: then all share a connection. */
  serverOf(user: string): Promise<ExternalSpec['server'] | undefined>;
}

export interface ExternalSpec {
  /** As deskside.toml gives it, with references instead of secrets: for people to read. */
  readonly title?: string;
  /**
   * Resolves secrets. Called before each start, and never for a listing.
   *
   * @throws UserError or StartError that names the variable or file that is missing
   */
  readonly server: () => Promise<ServerCommand | ServerAddress>;
  /** Hides the secrets that `server` has looked up, in texts for logs and people. */
  readonly redact: (text: string) => string;
  /** Default `shared`: one connection for all callers, which offers the server neither roots nor elicitation. */
  readonly isolation?: 'shared' | 'per-client';
  /** The name of a tool or prompt before the mount's prefix, for filters and renames; undefined leaves it out. */
  readonly publicName: (kind: 'tool' | 'prompt', name: string) => string | undefined;
  /** What the person decides about calls of its tools, where not the hints decide. */
  readonly approvals: ApprovalRules;
  /** Default: one login for all users. */
  readonly logins?: UserLogins;
  readonly brief?: string;
  readonly flat?: boolean;
  readonly limits?: Partial<ExternalLimits>;
}

export interface ExternalLimits {
  /** How long a start may take. `npx` or `docker` may have to install the server first. */
  readonly startMs: number;
  /** How long a call may take without any progress message. */
  readonly callMs: number;
  /** Of one message of the server. */
  readonly resultBytes: number;
  /** How long a server without calls and subscriptions runs on. */
  readonly idleMs: number;
}
