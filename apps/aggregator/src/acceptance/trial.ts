import { silentLog } from '@deskside/core';
import { StartError } from '@deskside/core/errors';
import type { ClientCapabilities, Result } from '@modelcontextprotocol/client';
import type { ExternalServer } from '../config/external.ts';
import type { SecretSources } from '../config/secrets.ts';
import { configured, titleOf } from '../external/configured.ts';
import type { Question } from '../external/connection.ts';
import type { ServerListing } from '../external/listing.ts';
import { DEFAULT_LIMITS } from '../external/open.ts';
import { OrphanGuard } from '../external/orphan-guard.ts';
import { Supervisor } from '../external/supervisor.ts';
import { systemTimer } from '../mounts/timer.ts';

export interface TrialOptions extends SecretSources {
  readonly id: string;
  readonly server: ExternalServer;
}

/** What a server says when it is started once. */
export interface Trial {
  readonly listing: ServerListing;
  /** What it asked its client while it started. */
  readonly asked: ReadonlySet<Question['method']>;
}

/** With these a server may ask its one client. */
const CAN_ASK: ClientCapabilities = { roots: {}, elicitation: { form: {} } };

/**
 * Starts a server once, lists everything and ends it. A server with one connection per client may ask.
 *
 * @throws StartError with a sentence that says why it cannot be used
 */
export async function startOnTrial({ id, server, env, folder }: TrialOptions): Promise<Trial> {
  const spec = configured(server, { env, folder });
  const asked = new Set<Question['method']>();
  let listing: ServerListing | undefined;
  const supervisor = new Supervisor({
    id,
    title: titleOf(server),
    server: spec.server,
    redact: spec.redact ?? ((text) => text),
    limits: { ...DEFAULT_LIMITS, ...spec.limits },
    env,
    guard: new OrphanGuard(),
    log: silentLog,
    capabilities: server.isolation === 'per-client' ? CAN_ASK : {},
    startTimer: systemTimer,
    onIdle: undefined,
    onListing: () => undefined,
    source: {
      current: () => undefined,
      async observed(found) {
        listing = found;
        return found;
      },
    },
    events: {
      onUpdated: () => undefined,
      onMessage: () => undefined,
      async onQuestion({ method }): Promise<Result> {
        asked.add(method);
        return method === 'roots/list' ? { roots: [] } : { action: 'cancel' };
      },
    },
  });
  try {
    await supervisor.use(new AbortController().signal, async () => undefined);
  } catch (error) {
    throw new StartError(supervisor.reason ?? 'It does not answer.', { cause: error });
  } finally {
    await supervisor.close();
  }
  if (listing === undefined) throw new StartError('It lists nothing.');
  return { listing, asked };
}
