import { changeFeed, type ServerDefinition, type View } from '@deskside/core';
import type { Mount, MountStatus } from './mount.ts';
import { backgroundTimer, type StartTimer } from './timer.ts';

const LOOK_INTERVAL_MS = 5 * 60_000;

export interface Dormancy {
  /** Whether the data of the mount exists now. */
  readonly isAwake: () => Promise<boolean>;
  /** Sentences for people: what is missing, and how to wake the mount. */
  readonly reason: string;
  /** The resource that stays listed: it explains what is missing. */
  readonly health: string;
  readonly startTimer?: StartTimer;
}

/**
 * A mount that offers no tools until its data exists. Its resources can be read, because they explain what is missing.
 * It looks again every five minutes, and publishes the change when it wakes.
 */
export function dormantMount(mount: Mount, dormancy: Dormancy): Mount & Disposable {
  const { definition } = mount;
  const { isAwake, reason, health, startTimer = backgroundTimer } = dormancy;
  const changes = changeFeed();
  definition.changes?.subscribe((change) => changes.publish(change));
  let awake = false;
  let isDisposed = false;
  let stop: (() => void) | undefined;
  const look = async () => {
    awake = await isAwake().catch(() => false);
    if (!awake && !isDisposed) stop = startTimer(LOOK_INTERVAL_MS, () => void lookAgain());
  };
  const lookAgain = async () => {
    await look();
    if (awake) for (const list of ['tools', 'prompts', 'resources'] as const) changes.changed(list);
  };
  const firstLook = look();

  async function ifAwake<T>(list: () => T | Promise<T>, asleep: T): Promise<T> {
    await firstLook;
    return awake ? list() : asleep;
  }

  const wakeable: ServerDefinition = {
    ...definition,
    changes,
    instructions: (toolName) => (awake ? definition.instructions(toolName) : reason),
    listTools: (view) => ifAwake(() => definition.listTools(view), NOTHING),
    listPrompts: (view) => ifAwake(() => definition.listPrompts(view), NOTHING),
    listResourceTemplates: (view: View) => ifAwake(() => definition.listResourceTemplates(view), NOTHING),
    async listResources(ctx) {
      const listed = await definition.listResources(ctx);
      await firstLook;
      return awake ? listed : listed.filter(({ uri }) => uri === health);
    },
    callTool: (name, args, ctx) => ifAwake(() => definition.callTool(name, args, ctx), undefined),
    getPrompt: (name, args, ctx) => ifAwake(() => definition.getPrompt(name, args, ctx), undefined),
  };
  const status = (): MountStatus => (awake ? { state: 'ready' } : { state: 'dormant', reason });
  return {
    ...mount,
    definition: wakeable,
    status,
    [Symbol.dispose]() {
      isDisposed = true;
      stop?.();
    },
  };
}

/** Always the same array. */
const NOTHING: [] = [];
