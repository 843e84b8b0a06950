import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { latestRecord } from '@deskside/desktop';
import { cleanEnvironment, type Command, signalAll, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished } from 'vitest';
import { deskStatus } from '../attach/desk-status.ts';
import { deskPlace, greetDesk } from '../attach/protocol.ts';

/** The program as users have it. `pnpm run build` writes it. */
const BIN = join(import.meta.dirname, '../../dist/bin/cli.js');

export type DeskHome = ReturnType<typeof deskHome>;

/** A user without files. Whatever desk is left at the end of the test is killed. */
export function deskHome() {
  const home = temporaryFolder();
  const uid = process.getuid?.();
  const place = deskPlace(join(home, 'data/deskside'), { uid });
  const { folder } = place;
  onTestFinished(() => {
    if (!existsSync(folder)) return;
    const { record } = latestRecord({ folder, uid: uid === undefined ? uid : statSync(folder).uid });
    if (record !== undefined) signalAll('SIGKILL', [record.pid]);
  });
  const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Command => ({
    command: process.execPath,
    args: [BIN, ...args],
    env: { ...cleanEnvironment(home), ...env },
  });
  /** Runs a command to its end. @returns what it printed on stdout */
  const run = async (...args: readonly string[]) => {
    await using program = startProgram(command(args));
    await program.exited;
    return program.stdout();
  };
  return {
    home,
    command,
    /** `deskside stdio`, with time to find a desk on a busy machine. */
    client(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
      return command(['stdio', '--attach-timeout', '60', ...args], env);
    },
    /** Of the present desk. */
    pid() {
      const { record } = latestRecord(place);
      expect(record).toBeDefined();
      return record?.pid ?? 0;
    },
    async status() {
      const { record } = latestRecord(place);
      const hello = { kind: 'status', version: '0.0.0' } as const;
      const greeting = record && (await greetDesk(record, hello, new AbortController().signal));
      greeting?.socket.destroy();
      return deskStatus.parse(greeting?.answer.kind === 'status' ? greeting.answer.status : undefined);
    },
    run,
  };
}
