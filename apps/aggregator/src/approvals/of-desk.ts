import { join } from 'node:path';
import type { Log } from '@deskside/core';
import { folders } from '@deskside/core/cli';
import { messageOf, StartError } from '@deskside/core/errors';
import type { LoadedConfig } from '../config/load.ts';
import type { OpenMounts } from '../mounts/built-in.ts';
import { systemCall } from '../mounts/system-call.ts';
import { Approvals } from './approvals.ts';
import type { Levels } from './levels.ts';
import { RuleStore } from './rule-store.ts';
import { ShownWords } from './shown-words.ts';

/** The remembered decisions. @throws StartError without a home folder */
export function ruleStore(): RuleStore {
  return new RuleStore(join(folders().data, 'approvals.json'));
}

/** Next to what was accepted of the servers. */
export function shownWords({ listings }: LoadedConfig['places']): ShownWords {
  return new ShownWords(join(listings, 'shown-words.json'));
}

export function levelsOf(loaded: LoadedConfig | undefined): Levels {
  const { approvals: desk, profiles = new Map(), clients = new Map() } = loaded?.config ?? {};
  return { desk, profiles, clients };
}

interface DeskParts {
  readonly opened: OpenMounts;
  readonly loaded: LoadedConfig | undefined;
  readonly log: Log;
}

/** The approvals of a desk: its popup asks. */
export function approvalsOf({ opened, loaded }: DeskParts): Approvals {
  return new Approvals({
    person: () => opened.popup(),
    rules: rulesIfAny(),
    shown: loaded && shownWords(loaded.places),
    levels: levelsOf(loaded),
  });
}

/** A user without a home folder remembers nothing. */
function rulesIfAny(): ConstructorParameters<typeof Approvals>[0]['rules'] {
  try {
    return ruleStore();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { find: async () => undefined, add: () => Promise.reject(error) };
  }
}

/** Says once that the mounts of an earlier version ask nothing until the person accepts their words. */
export async function sayEarlier({ opened, loaded, log }: DeskParts): Promise<void> {
  if (loaded === undefined) return;
  const shown = shownWords(loaded.places);
  const ids = [...Object.keys(loaded.config.modules), ...Object.keys(loaded.config.external)];
  try {
    const isShown = await Promise.all(ids.map((id) => shown.isShown(id)));
    const earlier = ids.filter((_, index) => isShown[index] === false);
    if (earlier.length === 0 || !(await shown.sayOnce())) return;
    const message = `Deskside can now ask you before ${earlier.join(', ')} changes anything. Run "deskside apply" to see what asks and to begin.`;
    log.warn(message);
    const logMount = opened.mounts.find(({ id }) => id === 'log');
    if (logMount !== undefined)
      await systemCall(logMount, 'notify', { message, level: 'warn', context: 'safety' }, opened.user, log);
  } catch (error) {
    log.error('mounts of an earlier version could not be reported', { error: messageOf(error) });
  }
}
