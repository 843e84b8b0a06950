import { DISPLAY_VARIABLES } from '@deskside/core/base';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the variables of all Deskside servers begin with. */
const OWN_PREFIX = /^(?:DESKSIDE|TODO|MANICTIME|NOTIFY_POPUP|LOG_NOTIFY|UI_TOAST)_/;

/** Variables that differ between clients of one desk, or that only `deskside http` reads. */
const PER_PROCESS = new Set(
  [
    'AS',
    'PROFILE',
    'STANDALONE',
    'ATTACH_TIMEOUT',
    'HOST',
    'PORT',
    'STATELESS',
    'TOKEN',
    'SECRET',
    'ALLOW_HOST',
    'ALLOW_ORIGIN',
  ].map((name) => `DESKSIDE_${name}`),
);

/** Variables that decide on which screen and in which language a window opens, and in which terminal the agent is. */
const DESKTOP = new Set([
  ...DISPLAY_VARIABLES,
  'CLAUDE_PROJECT_DIR',
  'DESKTOP_SESSION',
  'GDK_SCALE',
  'LANG',
  'LC_ALL',
  'QT_SCALE_FACTOR',
  'SESSIONNAME',
  'SSH_CONNECTION',
  'SSH_TTY',
  'TMUX',
  'TMUX_PANE',
]);

/** The settings of Deskside in an environment. An empty variable is not set. */
export function settingsOf(env: Environment): Record<string, string> {
  return chosen(env, (name, value) => value !== '' && OWN_PREFIX.test(name) && !PER_PROCESS.has(name));
}

/** What a client hands over to a desk of its environment. An empty DISPLAY is a choice: no window. */
export function desktopOf(env: Environment): Record<string, string> {
  return chosen(env, (name) => DESKTOP.has(name));
}

/** Names of the settings that two environments do not share, in the order of the alphabet. */
export function differences(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => one[name] !== other[name]).toSorted();
}

function chosen(
  env: Environment,
  isChosen: (name: string, value: string) => boolean,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isChosen(name, value) ? [[name, value]] : [],
    ),
  );
}
