import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { namesIn, type Permissions, privacyProblem, shellQuoted } from '@deskside/core/base';
import { defineDoctor, type DoctorReport, type OptionsOf } from '@deskside/core/program';
import { errnoOf, messageOf } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import manifest from '../../package.json' with { type: 'json' };
import { todoOptions } from '../options.ts';
import { inspectDatabase } from '../sqlite/inspect.ts';
import { isPostgresUrl, withoutPassword } from '../store/database-path.ts';
import { type DatabaseContent, StoreUnavailable } from '../store/task-store.ts';

const MAX_LISTED_USERS = 20;

const UNPRIVILEGED_ROLE = 'Use a role without SUPERUSER and BYPASSRLS.';
const MIGRATE = 'Run: deskside-todo migrate, with the URL of the owner of the tables in TODO_MIGRATION_URL.';
const UTF8 = "Create a database with ENCODING 'UTF8' TEMPLATE template0.";
const ONLY_READS = {
  problem: 'The database only reads: it is a replica, or default_transaction_read_only is set.',
  remedy: 'Use the URL of the primary server, or change the setting of the role or the database.',
};

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
  const { database } = settings;
  const program = `deskside-todo ${manifest.version}`;
  if (isPostgresUrl(database)) return { program, ...(await diagnosePostgres(settings, users)) };
  if (database === '') return { program, ...NO_HOME };
  return { program, ...(database === ':memory:' ? IN_MEMORY : diagnoseFile(resolve(database))) };
}

type DatabaseSettings = Pick<OptionsOf<typeof todoOptions>, 'database' | 'migrationUrl' | 'connections'>;

async function diagnosePostgres(
  { database: url, migrationUrl, connections }: DatabaseSettings,
  users: readonly string[],
): Promise<Findings> {
  const path = ['Database', withoutPassword(url)] as const;
  try {
    const { inspectDatabase } = await import('../postgres/inspect.ts');
    const { serverVersion, role, maxConnections, encoding, onlyReads, missingRights, ...content } =
      await inspectDatabase({ url, migrationUrl }, users);
    const problems = [
      ...(role.problem === undefined ? [] : [{ problem: `${role.problem}.`, remedy: UNPRIVILEGED_ROLE }]),
      ...(encoding === 'UTF8'
        ? []
        : [{ problem: `The database has the encoding ${encoding}.`, remedy: UTF8 }]),
      ...(onlyReads ? [ONLY_READS] : []),
      ...missingRights.map((problem) => ({ problem: `${problem}.`, remedy: MIGRATE })),
      ...oddProblems(content),
    ];
    const server = [
      ['Server', `PostgreSQL ${serverVersion}`],
      ['Role', role.name],
      ['Connections', `at most ${connections}; the server accepts ${maxConnections} of all programs`],
    ] as const;
    return { facts: [path, ...server, ...contentFacts(content)], problems };
  } catch (error) {
    const remedy = 'Correct the cause, or choose another database with TODO_DATABASE_URL.';
    return { facts: [path, ['Opens', 'no']], problems: [{ problem: reasonOf(error), remedy }] };
  }
}

type Findings = Pick<DoctorReport, 'facts' | 'problems'>;

const IN_MEMORY: Findings = {
  facts: [['Database', 'in memory: the tasks are lost when the server ends']],
  problems: [],
};

const NO_HOME: Findings = {
  facts: [['Database', 'none']],
  problems: [
    {
      problem: 'This user has no home folder for the tasks.',
      remedy: 'Set HOME, or TODO_DATABASE_URL to the path of a file.',
    },
  ],
};

function diagnoseFile(file: string): Findings {
  if (!existsSync(file)) return diagnoseMissing(file);
  const stats = statSync(file);
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  const permissions = `${mode}, ${accessOf(file)}`;
  const facts = [['Database', file] as const, ['Permissions', permissions] as const];
  if (!stats.isFile()) {
    return {
      facts,
      problems: [{ problem: `${file} is not a file.`, remedy: 'Choose a file with --database.' }],
    };
  }
  const problems = [...permissionProblems(file, stats)];
  try {
    const content = inspectDatabase(file);
    if (content.integrity !== 'ok') {
      problems.push({
        problem: `The database is damaged: ${content.integrity}`,
        remedy: 'Stop the server and restore a backup.',
      });
    }
    problems.push(...oddProblems(content));
    for (const pid of processesWithDeletedFiles(file)) {
      problems.push({
        problem: `The process ${pid} uses files of the database that were deleted or replaced: its calls answer UNAVAILABLE.`,
        remedy: 'Stop all servers that use the database, and start them again.',
      });
    }
    return { facts: [...facts, ...contentFacts(content)], problems };
  } catch (error) {
    const remedy = 'Correct the cause, or choose another file with --database.';
    problems.push({ problem: reasonOf(error), remedy });
    return { facts: [...facts, ['Opens', 'no']], problems };
  }
}

/** What was edited by hand. */
function oddProblems({ oddRows }: DatabaseContent): DoctorReport['problems'] {
  return oddRows.map((problem) => ({ problem, remedy: 'Change or delete the task with deskside-todo.' }));
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
  if (statSync(folder).isDirectory() && canAccess(folder, constants.W_OK | constants.X_OK)) {
    return { facts, problems: [] };
  }
  return {
    facts,
    problems: [
      {
        problem: `${file} cannot be created: ${folder} is not a writable folder.`,
        remedy: 'Correct its permissions, or choose another file with --database.',
      },
    ],
  };
}

function permissionProblems(file: string, permissions: Permissions): DoctorReport['problems'] {
  const problems = [];
  const shared = privacyProblem(file, permissions);
  if (shared !== undefined) problems.push(shared);
  const refusal = refusalOf(file, constants.R_OK | constants.W_OK);
  const folder = dirname(file);
  if (refusal === 'EROFS') {
    problems.push({
      problem: `${file} is on a file system that only reads.`,
      remedy: 'Copy it to another one, and choose the copy with --database.',
    });
  } else if (refusal !== undefined) {
    problems.push({
      problem: 'This user cannot read and write the database.',
      remedy: `Run: chmod 600 ${shellQuoted(file)} as its owner, or start the server as that user.`,
    });
  } else if (!canAccess(folder, constants.W_OK | constants.X_OK)) {
    problems.push({
      problem: `This user cannot create files in ${folder}, as SQLite does beside the database.`,
      remedy: `Run: chmod u+rwx ${shellQuoted(folder)} as its owner, or start the server as that user.`,
    });
  }
  return problems;
}

function contentFacts({ schemaVersion, newestSchemaVersion, users }: DatabaseContent) {
  const outdated =
    schemaVersion >= newestSchemaVersion ? '' : ` (the next call migrates it to ${newestSchemaVersion})`;
  const pending = users.reduce((sum, user) => sum + user.pending, 0);
  const completed = users.reduce((sum, user) => sum + user.completed, 0);
  const listed = users
    .slice(0, MAX_LISTED_USERS)
    .map((user) => `${escapeInvisible(user.id)}: ${user.pending} pending, ${user.completed} completed`);
  const more = users.length - listed.length;
  return [
    ['Opens', 'yes'],
    ['Schema version', `${schemaVersion}${outdated}`],
    ['Tasks', `${pending} pending, ${completed} completed`],
    ['Users', [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join('\n') || 'none'],
  ] as const;
}

function accessOf(file: string): string {
  if (canAccess(file, constants.R_OK | constants.W_OK)) return 'readable and writable';
  return canAccess(file, constants.R_OK) ? 'readable only' : 'not readable';
}

function canAccess(path: string, mode: number): boolean {
  return refusalOf(path, mode) === undefined;
}

/** The code of the system's error, undefined if it allows the access. */
function refusalOf(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return errnoOf(error) ?? '';
  }
}
