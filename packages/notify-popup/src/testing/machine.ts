import type { Machine } from '../machine/machine.ts';

/** Somebody's machine, with what a test wants otherwise. */
export function machineLike(changes: Partial<Machine>): Machine {
  return {
    platform: 'linux',
    env: {},
    home: '/home/anna',
    temporary: '/tmp',
    user: 'anna',
    uid: 1000,
    workingDirectory: '/home/anna/project',
    ...changes,
  };
}
