import type { Log } from '@deskside/core';
import { type Aggregator, createAggregator } from './aggregator.ts';
import { openBuiltIn } from './mounts/built-in.ts';
import type { MountState } from './mounts/mount.ts';

/** What decides which mounts a desk has. */
export interface DeskSettings {
  /** Ids of the mounts to open; empty for all. */
  readonly mounts: readonly string[];
  readonly noMounts: readonly string[];
}

export interface DeskContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

/** Everything that `deskside` serves, opened. */
export interface Desk extends AsyncDisposable {
  readonly aggregator: Aggregator;
  /** The user at the desk: the principal on stdio and of the owner's tokens. */
  readonly user: string;
  /** A line per mount that cannot be used, for the person who starts the program. */
  notes(): Promise<readonly string[]>;
}

/** @throws StartError for a mount that does not exist, and for mounts that cannot work together */
export async function openDesk({ mounts, noMounts }: DeskSettings, { env, log }: DeskContext): Promise<Desk> {
  const opened = openBuiltIn(env, { ...(mounts.length === 0 ? {} : { mounts }), noMounts });
  try {
    const aggregator = await createAggregator({ ...opened, log });
    return {
      aggregator,
      user: opened.user,
      notes: async () => (await aggregator.mountStates()).flatMap(noteOf),
      [Symbol.asyncDispose]: async () => opened[Symbol.asyncDispose](),
    };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

function noteOf({ id, state, reason = '' }: MountState): readonly string[] {
  return state === 'ready' ? [] : [`Mount ${id} is ${state}: ${reason}`];
}
