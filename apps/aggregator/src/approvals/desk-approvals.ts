import { join } from 'node:path';
import { folders } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import type { LoadedConfig } from '../config/load.ts';
import type { OpenMounts } from '../mounts/built-in.ts';
import { Approvals, type Levels, RuleStore } from '@deskside/gateway';

/** The remembered decisions. @throws StartError without a home folder */
export function ruleStore(): RuleStore {
  return new RuleStore(join(folders().data, 'approvals.json'));
}

export function levelsOf(loaded: LoadedConfig | undefined): Levels {
  const { approvals: desk, profiles = new Map(), clients = new Map() } = loaded?.config ?? {};
  return { desk, profiles, clients };
}

/** The approvals of a desk: its popup asks. */
export function approvalsOf(opened: Pick<OpenMounts, 'popup'>, loaded: LoadedConfig | undefined): Approvals {
  return new Approvals({
    person: () => opened.popup(),
    rules: rulesIfAny(),
    levels: levelsOf(loaded),
  });
}

/** A user without a home folder remembers nothing. */
function rulesIfAny(): ConstructorParameters<typeof Approvals>[0]['rules'] {
  try {
    return ruleStore();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return { find: () => undefined, add: () => Promise.reject(error) };
  }
}
