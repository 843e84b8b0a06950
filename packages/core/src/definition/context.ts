import type { ClientCapabilities, Implementation, LoggingLevel } from '@modelcontextprotocol/server';
import type { Log } from '../log/log.ts';

export type Awaitable<T> = T | Promise<T>;

/** `legacy` opens with `initialize` (2024-11-05 to 2025-11-25), `modern` is per request (2026-07-28). */
export type Era = 'legacy' | 'modern';

/** Who calls: the configured user on stdio, the bearer token's user on HTTP. */
export interface Principal {
  readonly user: string;
}

/** A tool's or prompt's name as the client sees it: under a mount it carries the mount's prefix. */
export type ToolName = (name: string) => string;

/** A text that may name other tools. */
export type Text = string | ((toolName: ToolName) => string);

/** Names as they are; the one function for it, since listings are kept by function. */
export const ownName: ToolName = (name) => name;

export function textOf(text: Text, toolName: ToolName): string {
  return typeof text === 'string' ? text : text(toolName);
}

/** What the listing of a server depends on. `toolName` keeps its identity, so that listings can be kept. */
export interface View {
  readonly era: Era;
  readonly toolName: ToolName;
}

/**
 * Asking the client for more in the middle of a call: return `inputRequired({...})`, and the call runs again
 * with the answers here. One way of writing serves both eras.
 */
export interface InputExchange {
  readonly capabilities: ClientCapabilities;
  /** Untrusted: read with `acceptedContent` or `inputResponse`. */
  readonly responses: Record<string, unknown> | undefined;
  /** What an earlier round sealed, verified; undefined in the first round. */
  state(): unknown;
  /** Seals JSON for `inputRequired({ requestState })`: signed, for ten minutes, bound to caller and call. */
  seal(payload: unknown): Promise<string>;
}

/** What a handler may know of the request it answers, and do besides answering. */
export interface RequestContext extends View {
  readonly principal: Principal;
  /** `stdio` has its client on this machine; over HTTP it may be on any. */
  readonly transport: 'stdio' | 'http';
  /** One stdio process, or one principal and client over HTTP. */
  readonly session: string;
  /** What the client says it is; never proof of anything. */
  readonly client: Implementation | undefined;
  /** Aborted when the request is cancelled, its client gone, or the server closing. */
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly log: Log;
  readonly input: InputExchange;
  /** Sent only where the request asked for progress. */
  progress(progress: number, total?: number, message?: string): Promise<void>;
  /**
   * An MCP log message, in the eras that the server names in `logging`. In the modern one it is sent only where the
   * request asked for that level; in the legacy one a client that set no level gets all.
   */
  message(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
}
