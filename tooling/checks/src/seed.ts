import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const DIGITS = 5;

/** Random tests begin with it: the same commit gives the same result on any day. Without git it is 1. */
export function seedOfCommit(): number {
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], options);
  return Number.parseInt((stdout ?? '').slice(0, DIGITS), 16) || 1;
}

export function freshSeed(): number {
  return randomInt(1, 16 ** DIGITS);
}
