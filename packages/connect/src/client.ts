import { posix, win32 } from 'node:path';

/** The name of the server in every client. */
export const SERVER_NAME = 'deskside';

/** The machine that a client runs on. */
export interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** On Windows: the names of the installed app packages. */
  readonly packages?: readonly string[];
}

/** How a client reaches Deskside. */
export type Entry =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: string };

/** How the client's own program changes its configuration. */
export interface ClientCommand {
  /** Arguments that add a server. */
  add(name: string, entry: Entry): readonly string[];
  /** Arguments that remove a server. */
  remove(name: string): readonly string[];
}

/** A client, its configuration file, and the form of its servers. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** The user's file. */
  file(place: Place): string;
  /** A program on PATH if it is installed, also if it was never started. */
  readonly program?: string;
  readonly format: 'json' | 'toml';
  /** The table of the servers in the file. */
  readonly root: string;
  /** The table of the file with the lists `allowed` and `excluded` of servers. */
  readonly exclusions?: string;
  /** One server as the file contains it, without the fields below. */
  value(entry: Entry): Fields;
  /** Fields of the server that the person may change. */
  readonly defaults?: Fields;
  /** A list in `value` that the person may extend. */
  readonly extensible?: string;
  /** Fields of the server: a question waits for its answer, as long as the client can. */
  readonly waits?: Fields;
  /** It accepts no longer time in `waits`. */
  readonly waitsSeconds?: number;
  /** Agents may ask and notify without a prompt, exactly these two tools. */
  readonly rule?: Rule;
  /** How it tells other programs what happens, without its model. */
  readonly hooks?: Hooks;
  /** It calls every tool without a prompt. */
  readonly runsWithoutPrompt?: true;
  /** If the client has one, it is used instead of an edit of the file. */
  readonly command?: ClientCommand;
  /** False for clients that start every server themselves. */
  readonly hasHttp: boolean;
  /** Names of processes that overwrite the file while they run, without `.exe`. */
  readonly ownProcesses?: readonly string[];
  /** What a person must know after a change. */
  readonly note: string;
  /** How its file names variables of the environment, if not as `${env:NAME}`. The first group is the name. */
  readonly references?: readonly RegExp[];
}

/** Where the rule is: in the entry, in a JSON file, or as texts in a file of rules. */
export type Rule =
  | { readonly kind: 'entry'; readonly field: string; readonly values: Values }
  | {
      readonly kind: 'json';
      file(place: Place): string;
      readonly path: readonly string[];
      readonly values: Values;
    }
  | { readonly kind: 'texts'; file(place: Place): string; readonly texts: readonly string[] };

/** Commands per event in the object `hooks` of a JSON file, or one command in a key of the client's own file. */
export type Hooks =
  | { readonly kind: 'json'; file(place: Place): string; readonly events: readonly string[] }
  | { readonly kind: 'toml'; readonly key: string };

/** Items of a list, or properties of an object. */
export type Values = readonly string[] | Fields;

export type Fields = Readonly<Record<string, unknown>>;

/** The folder for application data of programs such as VS Code. */
export function applicationData({ platform, home, env }: Place): string {
  switch (platform) {
    case 'win32':
      return env['APPDATA'] || win32.join(home, 'AppData', 'Roaming');
    case 'darwin':
      return posix.join(home, 'Library', 'Application Support');
    default:
      return env['XDG_CONFIG_HOME'] || posix.join(home, '.config');
  }
}

/** A package on Windows reads its own copy of the folder for application data. The installer of Claude Desktop is one. */
export function claudeData(place: Place): string {
  const name = place.packages?.find((each) => each.startsWith('Claude_'));
  if (name === undefined) return applicationData(place);
  return win32.join(appPackages(place), name, 'LocalCache', 'Roaming');
}

/** Has one folder per app package. */
export function appPackages({ home, env }: Place): string {
  return win32.join(env['LOCALAPPDATA'] || win32.join(home, 'AppData', 'Local'), 'Packages');
}

export function join({ platform }: Place, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}
