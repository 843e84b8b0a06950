import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect, vi } from 'vitest';

/** A tmux terminal of 100 columns and 30 lines that runs one command. */
export interface TmuxTerminal extends AsyncDisposable {
  /** The text on the screen, optionally with colors as escape sequences. */
  screen(withColors?: boolean): string;
  /** A file with all bytes that the command wrote. */
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
  // The command starts after the recording.
  const waiting = `read -r _; exec ${command}`;
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '30', waiting);
  tmux('pipe-pane', '-o', `cat > ${bytesFile}`);
  const processId = tmux('display-message', '-p', '#{pane_pid}').trim();
  tmux('send-keys', 'Enter');
  return {
    bytesFile,
    screen: (withColors = false) => tmux('capture-pane', '-p', ...(withColors ? ['-e'] : [])),
    async [Symbol.asyncDispose]() {
      tmux('kill-server');
      // It writes files of the folder until it has ended.
      await vi.waitFor(() => expect(existsSync(`/proc/${processId}`)).toBe(false), { timeout: 30_000 });
    },
  };
}
