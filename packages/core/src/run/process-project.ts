import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';

/** Where a client started this process. Both are names of folders, as labels for people. */
export interface ProcessProject {
  /** `CLAUDE_PROJECT_DIR`: the client says it. */
  readonly named: string | undefined;
  /** The working directory, unless it says nothing about a project. */
  readonly current: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function processProject(
  env: Environment = process.env,
  directory: () => string = () => process.cwd(),
): ProcessProject {
  const current = directoryOrNone(directory);
  return {
    named: folderLabel(env['CLAUDE_PROJECT_DIR'] ?? ''),
    current: isProjectFolder(current, env) ? folderLabel(current) : undefined,
  };
}

/** @returns the name of a folder; undefined for a root folder */
export function folderLabel(path: string): string | undefined {
  const name = basename(path);
  return name === '' ? undefined : name;
}

/** @returns an empty text if the working directory was deleted */
function directoryOrNone(directory: () => string): string {
  try {
    return directory();
  } catch {
    return '';
  }
}

/** @returns an empty text for a user id without a passwd entry and without HOME, as in many containers */
function homeOrNone(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}

const SYSTEM_FOLDERS = [
  '/Applications',
  '/Library',
  '/System',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/proc',
  '/sbin',
  '/sys',
  '/usr',
];

/** Hosts start servers in folders that say nothing about a project: the root, the home, their own program. */
function isProjectFolder(path: string, env: Environment): boolean {
  const home = homeOrNone();
  if (path === '' || path === home || path === dirname(home) || path === dirname(path)) return false;
  const windows = [env['SystemRoot'], env['ProgramFiles'], env['ProgramFiles(x86)']].filter(
    (folder) => folder !== undefined,
  );
  const folder = path.toLowerCase();
  return ![...SYSTEM_FOLDERS, ...windows].some((system) => {
    const prefix = system.toLowerCase();
    return folder === prefix || folder.startsWith(`${prefix}/`) || folder.startsWith(`${prefix}\\`);
  });
}
