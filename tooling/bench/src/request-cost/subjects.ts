import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Call } from './call.ts';
import { httpClient, type Leg } from './http-client.ts';
import { stdioClient } from './stdio-client.ts';

/** A server program and the way in which it is called. */
export interface Subject {
  readonly name: string;
  readonly program: 'sdk' | 'deskside';
  readonly leg: Leg | 'stdio';
}

export const sdkModern = { name: 'SDK handler, 2026-07-28', program: 'sdk', leg: 'modern' } as const;
export const sdkLegacy = { name: 'SDK handler, 2025-11-25', program: 'sdk', leg: 'stateless' } as const;
export const modern = { name: 'Deskside, 2026-07-28', program: 'deskside', leg: 'modern' } as const;
export const sessions = {
  name: 'Deskside, 2025-11-25, sessions',
  program: 'deskside',
  leg: 'sessions',
} as const;
export const stateless = {
  name: 'Deskside, 2025-11-25, `--stateless`',
  program: 'deskside',
  leg: 'stateless',
} as const;
export const sdkStdio = { name: '`McpServer` with `serveStdio`', program: 'sdk', leg: 'stdio' } as const;
export const stdio = { name: 'Deskside, stdio', program: 'deskside', leg: 'stdio' } as const;

/** HTTP clients at the same time. Over stdio one client sends one request after the other. */
export const HTTP_CLIENTS = 32;

/** A running server with its clients. */
export interface Running extends AsyncDisposable {
  readonly subject: Subject;
  readonly pid: number;
  readonly clients: readonly Call[];
}

/** @param folder for the servers' logs */
export async function run(subject: Subject, folder: string): Promise<Running> {
  const token = randomBytes(32).toString('base64url');
  const child = start(subject, token, folder);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${subject.name} did not start`);
  const clients = await connect(subject, child, token);
  return {
    subject,
    pid,
    clients,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function start({ program, leg }: Subject, token: string, folder: string): ChildProcess {
  const script = join(import.meta.dirname, 'servers', `${program}.ts`);
  // The log goes to a file: a pipe that no one reads would block, and an ignored stream costs nothing.
  const log = openSync(join(folder, `${program}-${leg}.txt`), 'w');
  return spawn(process.execPath, [script, leg, token], { cwd: folder, stdio: ['pipe', 'pipe', log] });
}

async function connect({ leg }: Subject, child: ChildProcess, token: string): Promise<Call[]> {
  if (leg === 'stdio') return [await stdioClient(child)];
  const url = await firstLine(child);
  return Promise.all(Array.from({ length: HTTP_CLIENTS }, () => httpClient(url, token, leg)));
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The program has no pipes.');
  for await (const line of createInterface({ input: stdout })) {
    if (line.startsWith('http')) return line;
  }
  throw new Error('The server ended without its URL.');
}
