import { processFields } from './files/owner.ts';
import { outputOf } from './programs.ts';
import { connectX11, type X11Connection } from './x11/x11-connection.ts';
import { activateWindow, activeWindow, numbers } from './x11/windows.ts';

const TMUX_TIMEOUT_MS = 1000;
/** Longer chains of processes are not followed. */
const MAX_ANCESTORS = 64;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where an agent runs, as far as it is known. */
export interface Terminal {
  /** Its window on the X server of `DISPLAY`. */
  readonly window?: number | undefined;
  readonly tmux?: { readonly socket: string; readonly pane: string } | undefined;
}

interface Place {
  readonly env: Environment;
  /** A process in the terminal. */
  readonly processId: number;
}

/** Finds the terminal of a process, and whether the person works in it now. On Wayland, macOS and Windows that is not known. */
export async function findTerminal(
  place: Place,
): Promise<{ readonly terminal: Terminal; readonly hasFocus: boolean }> {
  const { env, processId } = place;
  const tmux = tmuxOf(env);
  const shown = tmux === undefined ? { isActive: true, processIds: [processId] } : await tmuxView(tmux, env);
  const owners = new Set(shown.processIds.flatMap(ancestorsOf));
  using x11 = await connectX11({ env, home: env['HOME'] ?? '' });
  if (x11 === undefined) return { terminal: { tmux }, hasFocus: false };
  const active = await activeWindow(x11);
  const windows = await numbers(x11, x11.root, '_NET_CLIENT_LIST');
  const isOwned = await Promise.all(windows.map(async (window) => isOwnedBy(x11, window, owners)));
  const own = windows.filter((_, index) => isOwned[index]);
  const isInFront = active !== undefined && own.includes(active);
  const window = isInFront ? active : own.at(-1);
  return { terminal: { window, tmux }, hasFocus: isInFront && shown.isActive };
}

/** Shows the pane and raises the window. */
export async function raiseTerminal({ window, tmux }: Terminal, env: Environment): Promise<void> {
  if (tmux !== undefined) {
    for (const command of ['select-window', 'select-pane']) {
      await tmuxOutput(tmux, env, [command, '-t', tmux.pane]);
    }
  }
  if (window === undefined) return;
  using x11 = await connectX11({ env, home: env['HOME'] ?? '' });
  if (x11 === undefined) return;
  await activateWindow(x11, window);
  // The server has it when it answers the next request.
  await activeWindow(x11);
}

function tmuxOf(env: Environment): Terminal['tmux'] {
  const [socket = ''] = (env['TMUX'] ?? '').split(',');
  const pane = env['TMUX_PANE'] ?? '';
  return socket === '' || pane === '' ? undefined : { socket, pane };
}

/** Whether the pane is in front in its session, and the programs that show the session. */
async function tmuxView(tmux: NonNullable<Terminal['tmux']>, env: Environment) {
  const format = '#{pane_active}#{window_active} #{session_id}';
  const [state, session = ''] = (
    await tmuxOutput(tmux, env, ['display-message', '-p', '-t', tmux.pane, format])
  )
    .trim()
    .split(' ');
  const clients = await tmuxOutput(tmux, env, ['list-clients', '-t', session, '-F', '#{client_pid}']);
  const processIds = clients
    .split('\n')
    .map(Number)
    .filter((id) => id > 0);
  return { isActive: state === '11', processIds };
}

async function tmuxOutput(
  { socket }: NonNullable<Terminal['tmux']>,
  env: Environment,
  args: readonly string[],
): Promise<string> {
  return (await outputOf({ env }, 'tmux', ['-S', socket, ...args], TMUX_TIMEOUT_MS)) ?? '';
}

async function isOwnedBy(x11: X11Connection, window: number, owners: ReadonlySet<number>): Promise<boolean> {
  const [owner] = await numbers(x11, window, '_NET_WM_PID');
  return owner !== undefined && owners.has(owner);
}

/** A process and those that started it, without the first process of the system. Only Linux tells. */
export function ancestorsOf(processId: number): readonly number[] {
  const found: number[] = [];
  for (let id = processId; id > 1 && found.length < MAX_ANCESTORS; id = Number(processFields(id)[1]))
    found.push(id);
  return found;
}
