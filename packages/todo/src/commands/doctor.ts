import { constants, existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  accessProblem,
  existingPart,
  namesIn,
  type Permissions,
  privacyProblem,
  shellQuoted,
} from '@deskside/core/base';
import { defineDoctor, type DoctorReport, type OptionsOf } from '@deskside/core/program';
import { messageOf, nativeFailure } from '@deskside/core/errors';
import manifest from '../../package.json' with { type: 'json' };
import { todoOptions } from '../options.ts';
import { inspectDatabase } from '../sqlite/inspect.ts';
import { isPostgresUrl, withoutPassword } from '../store/database-path.ts';
import type { Findings, Problem } from '../store/inspection.ts';
import { StoreUnavailable } from '../store/task-store.ts';

export const doctor = defineDoctor({
  options: todoOptions,
  details: 'The exit code is 1 if there is a problem.',
  examples: ['deskside-todo doctor', 'deskside-todo doctor --database ~/work.sqlite'],
  examine: ({ database, migrationUrl, connections, user, delegatedUsers }) =>
    diagnose({ database, migrationUrl, connections }, [...new Set([user, ...delegatedUsers])]),
});

/**
 * Checks the database without changing or creating anything.
 *
 * @param settings the database is a path, `:memory:` or a `postgres://` URL
 * @param users whose tasks to count in PostgreSQL, which hides all others
 */
export async function diagnose(settings: DatabaseSettings, users: readonly string[]): Promise<DoctorReport> {
  const { facts, problems } = await findings(settings, users);
  const program = `deskside-todo ${manifest.version}`;
  return { program, facts, problems: problems.map(([problem, remedy]) => ({ problem, remedy })) };
}

type DatabaseSettings = Pick<OptionsOf<typeof todoOptions>, 'database' | 'migrationUrl' | 'connections'>;

/** @param path what is checked, for people */
function found(path: string, ...problems: readonly Problem[]): Findings {
  return { facts: [['Database', path]], problems };
}

function findings(settings: DatabaseSettings, users: readonly string[]): Findings | Promise<Findings> {
  const { database } = settings;
  if (isPostgresUrl(database)) return diagnosePostgres(settings, users);
  if (database === ':memory:') return found('in memory: the tasks are lost when the server ends');
  if (database !== '') return diagnoseFile(resolve(database));
  const remedy = 'Set HOME, or TODO_DATABASE_URL to the path of a file.';
  return found('none', ['This user has no home folder for the tasks.', remedy]);
}

async function diagnosePostgres(
  { database: url, migrationUrl, connections }: DatabaseSettings,
  users: readonly string[],
): Promise<Findings> {
  const path = withoutPassword(url);
  try {
    const { inspectDatabase } = await import('../postgres/inspect.ts');
    const { facts, problems } = await inspectDatabase({ url, migrationUrl }, users, connections);
    return { facts: [['Database', path], ...facts], problems };
  } catch (error) {
    const remedy = 'Correct the cause, or choose another database with TODO_DATABASE_URL.';
    return found(path, [reasonOf(error), remedy]);
  }
}

function diagnoseFile(file: string): Findings {
  if (!existsSync(file)) return diagnoseMissing(file);
  const stats = statSync(file);
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  const facts = [['Database', file] as const, ['Permissions', mode, 'detail'] as const];
  if (!stats.isFile())
    return { facts, problems: [[`${file} is not a file.`, 'Choose a file with --database.']] };
  const problems = permissionProblems(file, stats);
  try {
    const content = inspectDatabase(file);
    problems.push(...content.problems);
    for (const pid of processesWithDeletedFiles(file)) {
      problems.push([
        `The process ${pid} uses files of the database that were deleted or replaced: its calls answer UNAVAILABLE.`,
        'Stop all servers that use the database, and start them again.',
      ]);
    }
    return { facts: [...facts, ...content.facts], problems };
  } catch (error) {
    const native = error instanceof Error ? nativeFailure(error.cause) : undefined;
    const remedy = native?.hint ?? 'Correct the cause, or choose another file with --database.';
    problems.push([native?.error ?? reasonOf(error), remedy]);
    return { facts, problems };
  }
}

/** Linux says which files a process has open. Those of other users are not visible. */
function processesWithDeletedFiles(file: string): readonly string[] {
  const deleted = new Set(['', '-wal', '-shm'].map((part) => `${realpathSync(file)}${part} (deleted)`));
  const isOpen = (pid: string) =>
    namesIn(`/proc/${pid}/fd`).some((name) => deleted.has(linkOf(`/proc/${pid}/fd/${name}`) ?? ''));
  return namesIn('/proc').filter((name) => /^\d+$/.test(name) && isOpen(name));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof StoreUnavailable ? error.reason : messageOf(error);
}

/** The first call creates the file and its folders, so only their parent must exist. */
function diagnoseMissing(file: string): Findings {
  const folder = existingPart(dirname(file));
  const path = `${file} (does not exist; the first call creates it)`;
  if (statSync(folder).isDirectory() && canAddTo(folder)) return found(path);
  const problem = `${file} cannot be created: ${folder} is not a writable folder.`;
  return found(path, [problem, 'Correct its permissions, or choose another file with --database.']);
}

const chmod = (mode: string, path: string) =>
  `Run: chmod ${mode} ${shellQuoted(path)} as its owner, or start the server as that user.`;

function permissionProblems(file: string, permissions: Permissions): Problem[] {
  const shared = privacyProblem(file, permissions);
  const problems: Problem[] = shared === undefined ? [] : [[shared.problem, shared.remedy]];
  const refusal = accessProblem(file, constants.R_OK | constants.W_OK);
  const folder = dirname(file);
  if (refusal === 'EROFS') {
    const remedy = 'Copy it to another one, and choose the copy with --database.';
    problems.push([`${file} is on a file system that only reads.`, remedy]);
  } else if (refusal !== undefined) {
    problems.push(['This user cannot read and write the database.', chmod('600', file)]);
  } else if (!canAddTo(folder)) {
    const problem = `This user cannot create files in ${folder}, as SQLite does beside the database.`;
    problems.push([problem, chmod('u+rwx', folder)]);
  }
  return problems;
}

function canAddTo(folder: string): boolean {
  return accessProblem(folder, constants.W_OK | constants.X_OK) === undefined;
}
