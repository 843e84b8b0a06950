import { readFileSync, type Stats, statSync, unwatchFile, watchFile as watchStatus } from 'node:fs';
import { privacyProblem } from '@deskside/core/base';
import { errnoOf } from '@deskside/core/errors';
import { sinks } from '../sinks/index.ts';
import {
  type Configuration,
  emptyConfiguration,
  type ParsedConfiguration,
  parseConfiguration,
} from './parse-config.ts';

const POLL_MS = 1000;

export interface ReadConfiguration extends ParsedConfiguration {
  /** The file exists and nothing in it is ignored, so a sink that is not in it was removed. */
  readonly isComplete: boolean;
}

/** @param mustExist report a missing file, because the person named it */
export function readConfiguration(path: string, mustExist: boolean): ReadConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' && !mustExist) {
      return { configuration: emptyConfiguration(), problems: [], isComplete: false };
    }
    const problem = code === 'ENOENT' ? 'the file does not exist' : `cannot read the file (${code})`;
    return { configuration: undefined, problems: [`${problem}.`], isComplete: false };
  }
  const { configuration, problems } = parseConfiguration(text);
  if (configuration === undefined) return { configuration, problems, isComplete: false };
  const isComplete = problems.length === 0;
  return { configuration, problems: [...problems, ...permissionProblems(path, configuration)], isComplete };
}

function permissionProblems(path: string, configuration: Configuration): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  const found = stats && privacyProblem(path, stats);
  const hasSecrets = sinks.some(({ kind, secrets }) =>
    configuration.sinks[kind]?.some((settings) => secrets.some((name) => settings[name] !== undefined)),
  );
  return found !== undefined && hasSecrets
    ? [`the file contains secrets. ${found.problem} ${found.remedy}`]
    : [];
}

/**
 * Calls back when a file changes, appears or disappears, about a second later.
 *
 * @returns a function that ends it; it does not keep the process alive
 */
export function watchFile(path: string, onChange: () => void): () => void {
  const listener = (now: Stats, before: Stats) => {
    // It is called for a missing file too.
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) onChange();
  };
  watchStatus(path, { interval: POLL_MS, persistent: false }, listener);
  return () => unwatchFile(path, listener);
}

/** The file of the notifications that a configuration names; undefined if it names none or cannot be read. */
export function notificationsFileIn(path: string): string | undefined {
  return namedFile(readConfiguration(path, false).configuration);
}

/** The file of the notifications that a configuration names. */
export function namedFile(configuration: Configuration | undefined): string | undefined {
  const path = configuration?.sinks['file']?.[0]?.['path'];
  return typeof path === 'string' ? path : undefined;
}
