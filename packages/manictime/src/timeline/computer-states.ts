import type { Activity } from './activity.ts';

export type ComputerState = 'active' | 'inactive';

const INACTIVE_NAMES = new Set([
  'away',
  'idle',
  'locked',
  'session lock',
  'session locked',
  'off',
  'power off',
  'sleep',
]);

/**
 * What a row of the ComputerUsage timeline says; undefined for a state that is not known here. Keys are
 * stable, names are display texts and may be translated.
 */
export function stateOf({ group, name }: Activity): ComputerState | undefined {
  const key = (group?.key ?? group?.commonKey)?.toLowerCase() ?? '';
  const stated = (group?.name ?? name)?.trim().toLowerCase() ?? '';
  if (key === 'manictime/active' || stated === 'active') return 'active';
  return key.startsWith('manictime/') || INACTIVE_NAMES.has(stated) ? 'inactive' : undefined;
}
