import { homedir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../errors/index.ts';

export interface Folders {
  readonly data: string;
  readonly config: string;
  /** Files that may be lost without harm: logs. */
  readonly state: string;
}

const NAME = 'deskside';

/**
 * Deskside's folders, in the places that the platform has for user data (on Linux those of the XDG specification).
 *
 * @throws StartError if no variable names them and the user has no home folder
 */
export function folders(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Folders {
  switch (platform) {
    case 'darwin': {
      const library = join(homeFolder(), 'Library');
      return {
        data: join(library, 'Application Support', NAME),
        config: join(library, 'Preferences', NAME),
        state: join(library, 'Logs', NAME),
      };
    }
    case 'win32': {
      const local = env['LOCALAPPDATA'] || join(homeFolder(), 'AppData', 'Local');
      const roaming = env['APPDATA'] || join(homeFolder(), 'AppData', 'Roaming');
      return {
        data: join(local, NAME, 'Data'),
        config: join(roaming, NAME, 'Config'),
        state: join(local, NAME, 'Log'),
      };
    }
    default:
      return {
        data: join(env['XDG_DATA_HOME'] || join(homeFolder(), '.local', 'share'), NAME),
        config: join(env['XDG_CONFIG_HOME'] || join(homeFolder(), '.config'), NAME),
        state: join(env['XDG_STATE_HOME'] || join(homeFolder(), '.local', 'state'), NAME),
      };
  }
}

/** `homedir` throws if HOME is not set and the user id has no passwd entry, as in many containers. @throws StartError */
export function homeFolder(): string {
  let found = '';
  let cause: unknown;
  try {
    found = homedir();
  } catch (error) {
    cause = error;
  }
  // An empty HOME would mean the working directory.
  if (found !== '') return found;
  throw new StartError('This user has no home folder. Set HOME, or pass the path as an option.', { cause });
}
