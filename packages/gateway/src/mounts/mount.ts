import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Awaitable,
  defineServer,
  type LogFields,
  type ServerDefinition,
  type Text,
  type ToolName,
  type View,
} from '@deskside/core';
import { identityName, StartError } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
import manifest from '../../package.json' with { type: 'json' };
import { kept } from './kept.ts';

/** Whether a mount can be used. A mount that is not ready offers less, and the other mounts answer as before. */
export interface MountStatus {
  /**
   * `dormant`: its data does not exist on this machine, so it offers no tools. `degraded`: a setting or an answer of it
   * is wrong.
   */
  readonly state: 'ready' | 'dormant' | 'degraded';
  /** Sentences for people: what is wrong and how to correct it. Undefined if the mount is ready. */
  readonly reason?: string | undefined;
}

/** A mount as `deskside list` and `deskside status` show it. */
export interface MountState extends MountStatus {
  readonly id: string;
  readonly title: string;
  /** Number of tools that it offers to the owner now. */
  readonly tools: number;
}

/** Patterns for the server's own names of tools: what the person decides about their calls. `block` counts first. */
export interface ApprovalRules {
  readonly run?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly block?: readonly string[] | undefined;
}

/** A tool as it was accepted. */
export interface AcceptedTool {
  /** The server's own name. */
  readonly name: string;
  /** What the server claims. */
  readonly annotations?: unknown;
  /** Everything that the server lists of it: a yes counts for this only. */
  readonly definition: object;
}

export interface MountApprovals {
  readonly rules: ApprovalRules;
  /** @param name as callers of the mount know it */
  toolOf(name: string, view: View): Awaitable<AcceptedTool | undefined>;
}

/** Undefined: there is no such tool. */
export type CallResult = Awaited<ReturnType<ServerDefinition['callTool']>>;

/** A server under a name in the aggregator. */
export interface Mount {
  /**
   * 1 to 16 lowercase letters and digits, a letter first: clients split names at underscores, and models replace
   * hyphens with underscores. `p` is reserved for profiles.
   */
  readonly id: string;
  readonly definition: ServerDefinition;
  /** If true, tools and prompts have no prefix: for a single server, or for prompts that use the bare names. */
  readonly flat?: boolean;
  /**
   * What a model must know in one to three sentences, for the instructions of all mounts together. Default: the first
   * sentences of the definition's instructions.
   */
  readonly brief?: Text;
  /**
   * If the mount reaches the person: its tool, and when to use it instead of others, as a part of a sentence. A caller whose
   * profile leaves out this tool gets no instructions of the mount.
   */
  readonly reaches?: Text;
  /**
   * If true, another program decides what the server is and says. It cannot answer names and addresses of other mounts,
   * and its views are not shown.
   */
  readonly isForeign?: boolean;
  /** Set for servers of other authors: the person decides on calls of their tools. Default: every call runs. */
  readonly approvals?: MountApprovals;
  /** What the mount itself knows about its state. Default: ready. */
  readonly status?: () => MountStatus;
}

const MOUNT_ID = /^[a-z][a-z0-9]{0,15}$/;
const RESERVED_IDS: ReadonlySet<string> = new Set(['p']);

/** @returns the sentence that rejects an id, undefined for a valid one */
export function mountIdProblem(id: string): string | undefined {
  if (!MOUNT_ID.test(id)) {
    const letters = id.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    const proposed = letters.replace(/^\d+/, '').slice(0, 16);
    const hint = proposed.length < 2 ? '' : ` For example: ${proposed}.`;
    return `Invalid mount id ${quoted(id)}. Use 1 to 16 lowercase letters and digits, a letter first.${hint}`;
  }
  return RESERVED_IDS.has(id) ? `The mount id "${id}" is reserved. Use another one.` : undefined;
}

/** @throws StartError that names an invalid or duplicate id */
export function checkMountIds(mounts: readonly Mount[]): void {
  for (const [index, { id }] of mounts.entries()) {
    const problem = mountIdProblem(id);
    if (problem !== undefined) throw new StartError(problem);
    if (mounts.findIndex((mount) => mount.id === id) !== index)
      throw new StartError(`Two mounts have the id "${id}". Change one.`);
  }
}

/** A mount without any answer. */
export function degradedMount(id: string, reason: string): Mount {
  const definition = defineServer({
    name: `deskside-${id}`,
    version: manifest.version,
    instructions: `Not available. ${reason}`,
    deps: null,
  });
  return { id, definition, status: () => ({ state: 'degraded', reason }) };
}

/** Maps a mount's own tool and prompt names to the names that the aggregator's clients use. */
export function mountedName({ id, flat = false }: Mount): ToolName {
  return flat ? (name) => name : (name) => `${id}_${name}`;
}

/** The naming inside a mount for the aggregator's own. */
export const nameInside = kept((mount: Mount, outer: ToolName): ToolName => {
  const inner = mountedName(mount);
  return outer === identityName ? inner : (name) => outer(inner(name));
});

/**
 * Ends a subscription that may not have begun yet.
 *
 * @param watching what ends it
 */
export function releaseOf(watching: Promise<(() => void) | undefined>): () => void {
  // A mount that fails is reported when it is asked for its resources.
  const ready = watching.catch(() => undefined);
  return () => void ready.then((release) => release?.());
}

const running = new AsyncLocalStorage<string>();

/** Runs the code of a mount, so that what it leaves behind can be attributed to it. */
export function inMount<T>({ id }: Pick<Mount, 'id'>, work: () => T): T {
  return running.run(id, work);
}

/** The mount whose code runs, as fields of a log line: pass it to `serve` as `rejectionFields`. */
export function mountFields(): LogFields {
  const mount = running.getStore();
  return mount === undefined ? {} : { mount };
}
