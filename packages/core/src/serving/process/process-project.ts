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
  const current = pathOrNone(directory);
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

/**
 * The working directory may be deleted, and the home folder may not exist. In many containers the user has
 * neither HOME nor a passwd entry.
 */
function pathOrNone(find: () => string): string {
  try {
    return find();
  } catch {
    return '';
  }
}

const SYSTEM_FOLDERS = '/Applications /Library /System /bin /boot /dev /etc /lib /proc /sbin /sys /usr'.split(
  ' ',
);

/** Hosts start servers in folders that say nothing about a project: the root, the home, their own program. */
function isProjectFolder(path: string, env: Environment, homeFolder: () => string): boolean {
  const home = pathOrNone(homeFolder);
  // The working directory is a real path. That of an empty HOME would be the working directory itself.
  const realHome = pathOrNone(() => (home === '' ? '' : realpathSync(home)));
  const homes = [home, realHome].filter(Boolean).flatMap((each) => [each, dirname(each)]);
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
