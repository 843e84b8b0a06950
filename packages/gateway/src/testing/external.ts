import { type Log, silentLog } from '@deskside/core';
import { type Aggregator, createAggregator } from '../aggregator.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { ListingSource, ServerListing } from '../external/listing.ts';
import { type ExternalContext, type OpenedExternal, openExternal } from '../external/external-mount.ts';
import type { ExternalSpec, ServerAddress, ServerCommand } from '../external/spec.ts';
import { type OpenTransport, systemTransports } from '../external/transport.ts';
import { startOnTrial } from '../external/trial.ts';
import type { Mount } from '../mounts/mount.ts';
import type { Profile } from '../profiles/profile.ts';

/** Accepts everything that a server lists. */
export function trustingSource(current?: ServerListing): ListingSource {
  let last = current;
  return { current: () => last, observed: async (listing) => (last = listing) };
}

export const emptyListing: ServerListing = {
  serverInfo: { name: 'example', version: '1' },
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
};

export interface DeskOptions extends Pick<ExternalContext, 'startTimer' | 'onLoginNeeded'> {
  readonly log?: Log;
  /** Default: programs with the environment of this process, and addresses. */
  readonly openTransport?: OpenTransport;
  readonly own?: readonly Mount[];
  readonly profiles?: ReadonlyMap<string, Profile>;
  /** Default: every call runs. */
  readonly approvals?: Approvals;
  /** Accepted listings. Default: what a trial start shows. */
  readonly sources?: Readonly<Record<string, ListingSource>>;
}

export interface ExternalDesk extends AsyncDisposable {
  readonly aggregator: Aggregator;
  readonly external: Readonly<Record<string, OpenedExternal>>;
}

/** All mounts, with external servers among them. The present listing of each is accepted. */
export async function deskWith(
  specs: Readonly<Record<string, ExternalSpec>>,
  options: DeskOptions = {},
): Promise<ExternalDesk> {
  const {
    log = silentLog,
    openTransport = systemTransports(process.env),
    own = [],
    profiles = new Map<string, Profile>(),
    sources = {},
    approvals,
    ...more
  } = options;
  const entries = await Promise.all(
    Object.entries(specs).map(async ([id, spec]) => {
      const source = sources[id] ?? trustingSource((await startOnTrial(id, spec, openTransport)).listing);
      return [id, openExternal(id, spec, { source, log, openTransport, ...more })] as const;
    }),
  );
  const external = Object.fromEntries(entries);
  const mounts = [...own, ...entries.map(([, { mount }]) => mount)];
  const aggregator = await createAggregator({ mounts, log, profiles, ...(approvals && { approvals }) });
  return {
    aggregator,
    external,
    async [Symbol.asyncDispose]() {
      await Promise.all(entries.map(([, { close }]) => close()));
    },
  };
}

export function running(
  server: ServerCommand | ServerAddress,
  more: Partial<ExternalSpec> = {},
): ExternalSpec {
  return {
    server: () => Promise.resolve(server),
    redact: (text) => text,
    publicName: (_kind, name) => name,
    approvals: {},
    ...more,
  };
}
