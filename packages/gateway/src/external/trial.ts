import { silentLog } from '@deskside/core';
import { systemClock } from '@deskside/core/base';
import { StartError } from '@deskside/core/errors';
import type { ClientCapabilities, Result } from '@modelcontextprotocol/client';
import type { ServerQuestion } from './connection.ts';
import { type ListProblems, NO_PROBLEMS, type ServerListing } from './listing.ts';
import { DEFAULT_LIMITS } from './external-mount.ts';
import type { ExternalSpec } from './spec.ts';
import { Supervisor } from './supervisor.ts';
import type { OpenTransport } from './transport.ts';
import { systemTimer } from '../mounts/timer.ts';

/** What one start of a server shows. */
export interface Trial {
  readonly listing: ServerListing;
  readonly problems: ListProblems;
  /** What the server asked its client for: `per-client` fits it. */
  readonly asked: readonly ServerQuestion['method'][];
}

/** What a server with one connection per client may ask. */
const CAN_ASK: ClientCapabilities = { roots: {}, elicitation: { form: {} } };

/**
 * Starts a server, reads its lists, and ends it.
 *
 * @throws StartError with a sentence that says why it cannot be used
 */
export async function startOnTrial(
  id: string,
  spec: ExternalSpec,
  openTransport: OpenTransport,
): Promise<Trial> {
  const asked = new Set<ServerQuestion['method']>();
  const { promise, resolve } = Promise.withResolvers<ServerListing>();
  let problems = NO_PROBLEMS;
  const supervisor = new Supervisor({
    id,
    title: spec.title ?? id,
    server: spec.server,
    redact: spec.redact ?? ((text) => text),
    limits: { ...DEFAULT_LIMITS, ...spec.limits },
    openTransport,
    log: silentLog,
    source: {
      current: () => undefined,
      async observed(listing, seen = NO_PROBLEMS) {
        problems = seen;
        return listing;
      },
    },
    capabilities: spec.isolation === 'per-client' ? CAN_ASK : {},
    startTimer: systemTimer,
    clock: systemClock,
    triesAlone: false,
    events: {
      onUpdated: () => undefined,
      onMessage: () => undefined,
      async onQuestion({ method }): Promise<Result> {
        asked.add(method);
        return method === 'roots/list' ? { roots: [] } : { action: 'cancel' };
      },
    },
    onListing: resolve,
  });
  let listing: ServerListing;
  try {
    await supervisor.use(new AbortController().signal, async () => undefined);
    listing = await promise;
  } catch (error) {
    throw new StartError(supervisor.reason ?? 'It does not answer.', { cause: error });
  } finally {
    await supervisor.close();
  }
  // Only now: a question may have arrived together with the last list.
  return { listing, problems, asked: [...asked] };
}
