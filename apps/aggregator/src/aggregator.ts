import type { ServerDefinition } from '@deskside/core';
import { checkMountIds, type Mount } from './mounts/mount.ts';
import { aggregatorServer } from './server.ts';

export interface AggregatorOptions {
  readonly mounts: readonly Mount[];
  /** The user whose lists of tools and prompts the aggregator reads at the start. Default `owner`. */
  readonly user?: string;
}

export interface Aggregator {
  readonly mounts: readonly Mount[];
  /** All mounts as one server. */
  readonly definition: ServerDefinition;
  /** `/mcp` for all mounts, and `/mcp/<mount>` for one mount with its bare names. */
  readonly routes: ReadonlyMap<string, ServerDefinition>;
}

/**
 * Combines servers into one, in this process: a call goes directly to the mount's own definition.
 *
 * @throws Error for an invalid or duplicate mount id, and for a name that two mounts have
 */
export async function createAggregator({ mounts, user = 'owner' }: AggregatorOptions): Promise<Aggregator> {
  checkMountIds(mounts);
  const definition = await aggregatorServer(mounts, user);
  const single = mounts.map((mount) => [`/mcp/${mount.id}`, mount.definition] as const);
  return { mounts, definition, routes: new Map([['/mcp', definition], ...single]) };
}
