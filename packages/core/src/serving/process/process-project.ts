import { realpathSync } from 'node:fs';
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
  homeFolder: () => string = homedir,
): ProcessProject {
  const current = directoryOrNone(directory);
  return {
    named: folderLabel(env['CLAUDE_PROJECT_DIR'] ?? ''),
    current: isProjectFolder(current, env, homeFolder) ? folderLabel(current) : undefined,
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

/** @returns none for a user id without a passwd entry and without HOME, as in many containers */
function homesOrNone(homeFolder: () => string): readonly string[] {
  let home: string;
  try {
    home = homeFolder();
  } catch {
    return [];
  }
  // HOME can be empty, and the real path of an empty text is the working directory.
  if (home === '') return [];
  try {
    // The working directory is a real path.
    return [home, realpathSync(home)];
  } catch {
    // It does not exist, or its real path may not be read.
    return [home];
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
function isProjectFolder(path: string, env: Environment, homeFolder: () => string): boolean {
  const homes = homesOrNone(homeFolder).flatMap((home) => [home, dirname(home)]);
  if (path === '' || homes.includes(path) || path === dirname(path)) return false;
  // A client that another process forwards hands on none of these, and runs on this machine.
  const windows = ['SystemRoot', 'ProgramFiles', 'ProgramFiles(x86)']
    .map((name) => env[name] ?? process.env[name])
    .filter((folder) => folder !== undefined);
  const folder = path.toLowerCase();
  return ![...SYSTEM_FOLDERS, ...windows].some((system) => {
    const prefix = system.toLowerCase();
    return folder === prefix || folder.startsWith(`${prefix}/`) || folder.startsWith(`${prefix}\\`);
  });
}
