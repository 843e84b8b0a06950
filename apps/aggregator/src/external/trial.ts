import type { Log } from '@deskside/core';
import { StartError } from '@deskside/core/errors';
import type { Result } from '@modelcontextprotocol/client';
import type { Question } from './connection.ts';
import type { ServerListing } from './listing.ts';
import { DEFAULT_LIMITS } from './open.ts';
import { OrphanGuard } from './orphan-guard.ts';
import type { ExternalSpec } from './spec.ts';
import { Supervisor } from './supervisor.ts';

/** What one start of a server shows. */
export interface Trial {
  readonly listing: ServerListing;
  /** What the server asked its client for, if that was offered: then `per-client` fits it. */
  readonly asked: readonly Question['method'][];
}

export interface TrialContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  readonly signal?: AbortSignal;
  /**
   * Offers roots and elicitation, to find out whether the server asks for them. Default: as the isolation says, because
   * some servers list other tools then.
   */
  readonly offersInput?: boolean;
}

/**
 * Starts a server, reads its lists, and ends it.
 *
 * @throws StartError with a sentence that says why it cannot be used
 */
export async function tryServer(id: string, spec: ExternalSpec, context: TrialContext): Promise<Trial> {
  const { offersInput = spec.isolation === 'per-client' } = context;
  const asked = new Set<Question['method']>();
  const { promise, resolve } = Promise.withResolvers<ServerListing>();
  const supervisor = new Supervisor({
    id,
    title: spec.title ?? id,
    server: spec.server,
    redact: spec.redact ?? ((text) => text),
    limits: { ...DEFAULT_LIMITS, ...spec.limits },
    env: context.env,
    guard: new OrphanGuard(),
    log: context.log,
    source: { current: () => undefined, observed: async (listing) => listing },
    capabilities: offersInput ? { roots: {}, elicitation: {} } : {},
    // One attempt is enough, and an idle server ends with the trial.
    startTimer: () => () => undefined,
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
  try {
    await supervisor.use(context.signal ?? new AbortController().signal, async () => undefined);
    return { listing: await promise, asked: [...asked] };
  } catch (error) {
    throw new StartError(supervisor.reason ?? 'It does not answer.', { cause: error });
  } finally {
    await supervisor.close();
  }
}
