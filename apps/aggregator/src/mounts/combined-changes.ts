import { type ChangeFeed, changeFeed } from '@deskside/core';
import type { Mount } from './mount.ts';

/** Every mount's changes as one feed; undefined where none has any. */
export function combinedChanges(mounts: readonly Mount[]): ChangeFeed | undefined {
  const feeds = mounts.flatMap(({ definition }) => definition.changes ?? []);
  if (feeds.length === 0) return undefined;
  const combined = changeFeed();
  for (const feed of feeds) feed.subscribe((change) => combined.publish(change));
  return combined;
}
