import { fileURLToPath } from 'node:url';
import type { Implementation, ListRootsResult, Server } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { KNOWN_CLIENTS, knownClient } from '../../definition/known-client.ts';
import type { Caller, ClientRoots, Principal } from '../../definition/context.ts';
import type { Log } from '../../log.ts';
import { folderLabel } from '../process/process-project.ts';
import { escapeInvisible, firstCodePoints, isBlank } from '../../text/index.ts';
import type { Connection } from './connection.ts';

/** Keys of a request's `_meta` that name its conversation. The first that is valid counts. */
const CONVERSATION_KEYS = ['deskside/session', 'vscode.conversationId', 'threadId', 'ai.opencode/sessionID'];
const CONVERSATION_ID = /^[!-~]{1,128}$/;
const MAX_LABEL_PART_CODE_POINTS = 64;
const ROOTS_TIMEOUT_MS = 10_000;

/** @param meta of the request */
export function callerOf(
  connection: Connection,
  principal: Principal,
  client: Implementation | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
): Caller {
  const conversation = conversationOf(meta);
  const session =
    conversation === undefined ? connection.session : scoped(connection, principal, conversation);
  return {
    principal,
    client,
    get known() {
      return knownClient(client);
    },
    session,
    key: `${encode(principal.user)} ${session ?? tokenScope(principal)}`,
    connection: `${encode(principal.user)} ${connection.session ?? tokenScope(principal)}`,
    process: connection.process,
    ended: connection.ended,
    roots: connection.roots,
    get project() {
      return connection.project?.() ?? (principal.token || undefined);
    },
    label() {
      const name = programName(principal, client) ?? principal.user;
      const parts = [name, connection.project?.()].map((part) => part && labelPart(part));
      return parts.filter(Boolean).join(' · ');
    },
  };
}

function conversationOf(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (meta === undefined) return undefined;
  return CONVERSATION_KEYS.map((key) => meta[key]).find(
    (id): id is string => typeof id === 'string' && CONVERSATION_ID.test(id),
  );
}

/** The client chooses the id, so it distinguishes conversations of one connection or token only. */
function scoped({ session }: Connection, principal: Principal, conversation: string): string {
  return `${session ?? tokenScope(principal)}/${encode(conversation)}`;
}

function tokenScope(principal: Principal): string {
  return `token/${encode(principal.user)}/${encode(principal.token ?? '')}`;
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** What the person calls the program (`--as`, or the token's name), else its usual name, else its own claim. */
function programName({ token }: Principal, client: Implementation | undefined): string | undefined {
  const [given, ...claimed] = [token, client?.title, client?.name].map((name) =>
    name === undefined || isBlank(name) ? undefined : name,
  );
  // Undefined or the id of a client is what `deskside connect` wrote.
  const known = given === undefined ? knownClient(client) : KNOWN_CLIENTS.find(({ id }) => id === given);
  return known?.title ?? given ?? claimed.find((name) => name !== undefined);
}

function labelPart(text: string): string {
  return escapeInvisible(firstCodePoints(text.trim(), MAX_LABEL_PART_CODE_POINTS));
}

/** The roots of a legacy client. */
export interface Roots {
  /** The first one, as a label. */
  readonly project: () => string | undefined;
  readonly client: ClientRoots;
  /** @returns a function that asks the client for its roots, for when a message can reach it */
  connect(server: Server): () => void;
}

/** The SDK's own schema rejects the whole list for one root with another scheme. */
const anyRoots = z.object({ roots: z.array(z.object({ uri: z.string(), name: z.string().optional() })) });

export function watchRoots(log: Log): Roots {
  let project: string | undefined;
  let connected: Server | undefined;
  const listeners = new Set<() => void>();
  async function list(): Promise<ListRootsResult> {
    if (connected?.getClientCapabilities()?.roots === undefined) throw new Error('The client has no roots.');
    const { roots } = await connected.request({ method: 'roots/list' }, anyRoots, {
      timeout: ROOTS_TIMEOUT_MS,
    });
    return {
      roots: roots
        .filter(({ uri }) => uri.startsWith('file://'))
        .map(({ uri, name }) => (name === undefined ? { uri } : { uri, name })),
    };
  }
  async function ask(): Promise<void> {
    try {
      const { roots } = await list();
      const [first] = roots;
      project = first === undefined ? undefined : first.name?.trim() || folderLabel(pathOf(first.uri));
    } catch (error) {
      log.debug('roots not known', { error });
    }
  }
  return {
    project: () => project,
    client: {
      list,
      onChanged(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    connect(server) {
      connected = server;
      server.setNotificationHandler('notifications/roots/list_changed', () => {
        void ask();
        for (const listener of listeners) listener();
      });
      return () => void ask();
    },
  };
}

function pathOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    return '';
  }
}
