import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { namesIn, type Permissions, privacyProblem } from '@deskside/core/base';
import { defineDoctor, type DoctorReport } from '@deskside/core/program';
import { messageOf } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import manifest from '../../package.json' with { type: 'json' };
import { todoOptions } from '../options.ts';
import { inspectDatabase } from '../sqlite/inspect.ts';
import { isPostgresUrl, withoutPassword } from '../store/database-path.ts';
import { type DatabaseContent, StoreUnavailable } from '../store/task-store.ts';

export const doctor = defineDoctor({
  options: todoOptions,
  details: 'The exit code is 1 if there is a problem.',
  examples: ['deskside-todo doctor', 'deskside-todo doctor --database ~/work.sqlite'],
  examine: ({ database, user, delegatedUsers }) =>
    diagnose(database, [...new Set([user, ...delegatedUsers])]),
});

/**
 * Checks the database without changing or creating anything.
 *
 * @param database a path, `:memory:` or a `postgres://` URL
 * @param users whose tasks to count in PostgreSQL, which hides all others
 */
export async function diagnose(database: string, users: readonly string[]): Promise<DoctorReport> {
  const { facts, problems = [] } = await findings(database, users);
  const program = `deskside-todo ${manifest.version}`;
  return { program, facts, problems: problems.map(([problem, remedy]) => ({ problem, remedy })) };
}

type Problem = readonly [problem: string, remedy: string];

interface Findings {
  readonly facts: DoctorReport['facts'];
  readonly problems?: readonly Problem[];
}

function findings(database: string, users: readonly string[]): Findings | Promise<Findings> {
  if (isPostgresUrl(database)) return diagnosePostgres(database, users);
  if (database === ':memory:')
    return { facts: [['Database', 'in memory: the tasks are lost when the server ends']] };
  if (database !== '') return diagnoseFile(resolve(database));
  const remedy = 'Set HOME, or TODO_DATABASE_URL to the path of a file.';
  return {
    facts: [['Database', 'none']],
    problems: [['This user has no home folder for the tasks.', remedy]],
  };
}

async function diagnosePostgres(url: string, users: readonly string[]): Promise<Findings> {
  const path = ['Database', withoutPassword(url)] as const;
  try {
    const { inspectDatabase } = await import('../postgres/inspect.ts');
    const content = await inspectDatabase(url, users);
    const { name, problem } = content.role;
    const problems: Problem[] = [];
    if (problem !== undefined) problems.push([`${problem}.`, 'Use a role without SUPERUSER and BYPASSRLS.']);
    if (content.onlyReads) {
      problems.push([
        'The database only reads: it is a replica, or default_transaction_read_only is set.',
        'Use the URL of the primary server, or change the setting of the role or the database.',
      ]);
    }
    return {
      facts: [path, ['Role', name, 'detail'], ...contentFacts(content)],
      problems: [...problems, ...oddProblems(content)],
    };
  } catch (error) {
    const remedy = 'Correct the cause, or choose another database with TODO_DATABASE_URL.';
    return { facts: [path], problems: [[reasonOf(error), remedy]] };
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
    const { integrity } = content;
    if (integrity !== 'ok')
      problems.push([`The database is damaged: ${integrity}`, 'Stop the server and restore a backup.']);
    problems.push(...oddProblems(content));
    for (const pid of processesWithDeletedFiles(file)) {
      problems.push([
        `The process ${pid} uses files of the database that were deleted or replaced: its calls answer UNAVAILABLE.`,
        'Stop all servers that use the database, and start them again.',
      ]);
    }
    return { facts: [...facts, ...contentFacts(content)], problems };
  } catch (error) {
    problems.push([reasonOf(error), 'Correct the cause, or choose another file with --database.']);
    return { facts, problems };
  }
}

/** What was edited by hand. */
function oddProblems({ oddRows }: DatabaseContent): readonly Problem[] {
  return oddRows.map((problem) => [problem, 'Change or delete the task with deskside-todo.']);
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
  let folder = dirname(file);
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
  const facts = [['Database', `${file} (does not exist; the first call creates it)`]] as const;
  if (statSync(folder).isDirectory() && canAccess(folder, constants.W_OK | constants.X_OK)) return { facts };
  const problem = `${file} cannot be created: ${folder} is not a writable folder.`;
  return {
    facts,
    problems: [[problem, 'Correct its permissions, or choose another file with --database.']],
  };
}

function permissionProblems(file: string, permissions: Permissions): Problem[] {
  const shared = privacyProblem(file, permissions);
  const remedy = 'Correct its permissions, or copy the database, and choose the copy with --database.';
  // SQLite creates files beside the database.
  const closed = [file, dirname(file)].filter((path) => !canAccess(path, constants.R_OK | constants.W_OK));
  return [
    ...(shared === undefined ? [] : [[shared.problem, shared.remedy] as const]),
    ...closed.map((path) => [`This user cannot read and write ${path}.`, remedy] as const),
  ];
}

function contentFacts({ schemaVersion, users }: DatabaseContent) {
  const pending = users.reduce((sum, user) => sum + user.pending, 0);
  const completed = users.reduce((sum, user) => sum + user.completed, 0);
  const listed = users.map(
    ({ id, pending, completed }) => `${escapeInvisible(id)}: ${pending} pending, ${completed} completed`,
  );
  return [
    [
      'Schema version',
      schemaVersion === 0 ? 'none (the next call creates the tables)' : String(schemaVersion),
      'detail',
    ],
    ['Tasks', `${pending} pending, ${completed} completed`],
    ['Users', listed.join('\n') || 'none', 'detail'],
  ] as const;
}

function canAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
