import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Program, startProgram } from '@deskside/testkit';
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

export async function run(subject: Subject): Promise<Running> {
  const { leg } = subject;
  const token = randomBytes(32).toString('base64url');
  const script = join(import.meta.dirname, 'servers', `${subject.program}.ts`);
  const program = startProgram({ command: process.execPath, args: [script, leg, token] });
  return {
    subject,
    pid: program.child.pid ?? 0,
    clients: leg === 'stdio' ? [await stdioClient(program.child)] : await httpClients(program, token, leg),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

async function httpClients(program: Program, token: string, leg: Leg): Promise<Call[]> {
  const [url] = await program.printed(/^http\S+/m);
  return Promise.all(Array.from({ length: HTTP_CLIENTS }, () => httpClient(url, token, leg)));
}
