/** The contract's levels, mildest first. */
export const LEVELS = ['info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** How grave a level is, for comparing: info 0, warn 1, error 2. */
export function gravity(level: Level): number {
  return LEVELS.indexOf(level);
}

/** Anything that is no level counts as info; case and `warning` are forgiven. */
export function levelOf(value: unknown): Level {
  if (typeof value !== 'string') return 'info';
  const word = value.trim().toLowerCase();
  if (word === 'warning') return 'warn';
  return LEVELS.find((level) => level === word) ?? 'info';
}
