import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';

/** A real terminal of 100 columns and 30 lines that runs one command. */
export interface TmuxTerminal extends Disposable {
  /** What stands on its screen, with the colours as escape sequences if asked for. */
  screen(withColours?: boolean): string;
  /** All bytes the command wrote since the start. */
  readonly bytesFile: string;
}

export const hasTmux: boolean = spawnSync('tmux', ['-V']).status === 0;

export function startTmux(
  folder: string,
  command: string,
  env: Readonly<Record<string, string>>,
): TmuxTerminal {
  const socket = `deskside-${randomUUID()}`;
  const bytesFile = `${folder}/bytes`;
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8', env });
  // The command waits until its bytes are recorded.
  const waiting = `read -r _; exec ${command}`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '30', waiting);
  tmux('pipe-pane', '-o', `cat > ${bytesFile}`);
  tmux('send-keys', 'Enter');
  return {
    bytesFile,
    screen: (withColours = false) => tmux('capture-pane', '-p', ...(withColours ? ['-e'] : [])),
    [Symbol.dispose]: () => void spawnSync('tmux', ['-L', socket, 'kill-server']),
  };
}
