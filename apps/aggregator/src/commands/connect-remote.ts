import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join, posix, relative } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { shellQuoted } from '@deskside/core/base';
import { type CommandContext, folders } from '@deskside/core/cli';
import { firstLine, socketAddress } from '@deskside/core/desk';
import { errnoOf, StartError } from '@deskside/core/errors';
import type { Self } from '../attach/self.ts';
import type { Client, Entry, Place } from '../clients/client.ts';
import { type Connection, connectionOf, remember } from '../clients/connections.ts';
import { remoteId } from '../clients/programs.ts';
import { digestOf } from '../files/digest.ts';

/** In the home folder there. Only that user can use it, as sshd makes it. */
const SOCKET = '.deskside/desk.sock';
/** The agent waits longer for ssh. */
const ATTACH_SECONDS = 30;
/** Each starts a process here. */
const MAX_AGENTS = 32;
/** The exit codes for a file that does not exist, and for one that is not the one that was read. */
const NO_FILE = 44;
const CHANGED = 45;

/** What a client there starts: it says its folder, unless that was deleted, and then passes everything on. */
export const RELAY =
  'const s=require("net").connect(process.argv[1]);' +
  's.on("error",e=>{console.error("deskside: "+e.message+". Run deskside connect --remote on the machine of the desk.");process.exit(1)});' +
  'let d="";try{d=process.cwd()}catch{}' +
  's.write((process.env.CLAUDE_PROJECT_DIR||d)+"\\n");process.stdin.pipe(s);s.pipe(process.stdout)';

/** A file there, as it was read. */
interface Original {
  /** What `cksum` says of it. */
  readonly sum: string;
  readonly content: Buffer;
}

/** Another machine, which ssh reaches. */
export interface Remote {
  readonly host: string;
  /** Its copy of the files of a client, as if it were this machine. */
  readonly place: Place;
  /** What a client there runs. */
  readonly entry: Entry;
  /** The client, as it is there: its files are changed, and no program of it is run. */
  clientThere(client: Client): Client;
  /** Gets the files, lets `work` change them, and sends those that have changed. */
  edit(client: Client, work: () => Promise<number>): Promise<number>;
  /** For a line about the files. */
  shown(line: string): string;
  /** Lets the agents there use the desk of this machine, until ssh ends. @returns the exit code */
  serve(name: string): Promise<number>;
}

/** @throws StartError if the machine cannot be reached, or has no Node.js */
export async function openRemote(
  host: string,
  { env, print, note }: CommandContext,
  self: Self,
): Promise<Remote> {
  if (!/^[\w@][\w@.:[\]%-]*$/.test(host)) throw new StartError(`"${host}" is not a host of ssh.`);
  if (self.platform === 'win32') throw new StartError('--remote works on Linux and macOS.');
  const found = await ssh(
    'uname -s; printf "%s\\n" "$HOME"; command -v node || "$SHELL" -lc "command -v node"',
  );
  const [system = '', home = '', node = ''] = found.output.toString('utf8').split('\n');
  if (node === '') throw new StartError(`${host} has no Node.js. Install it there, then run this again.`);
  const folder = join(folders().data, 'remote', host);
  const socket = posix.join(home, SOCKET);

  /** Runs a script there. @throws StartError with what ssh says, if it ends with another code */
  async function ssh(
    script: string,
    { input = '', allowed = 0 }: { readonly input?: string | Uint8Array; readonly allowed?: number } = {},
  ) {
    // The person may have another shell.
    const child = spawn('ssh', [host, `sh -c ${shellQuoted(script)}`], {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    child.stdin.on('error', () => undefined).end(input);
    try {
      const [output, problem] = await Promise.all([buffer(child.stdout), text(child.stderr), ended]);
      if (child.exitCode === 0 || child.exitCode === allowed) return { output, code: child.exitCode };
      throw new StartError(`ssh ${host} failed: ${problem.trim() || `exit code ${child.exitCode}`}`);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
      throw new StartError('The program "ssh" was not found.', { cause: error });
    }
  }

  const there = (file: string) => posix.join(home, relative(folder, file));

  const remote: Remote = {
    host,
    place: { platform: system === 'Darwin' ? 'darwin' : 'linux', home: folder, env: {} },
    entry: { kind: 'stdio', command: node, args: ['-e', RELAY, socket] },
    clientThere({ command: _command, ownProcesses: _processes, hooks: _hooks, ...client }) {
      return { ...client, id: remoteId(client.id, host), title: `${client.title} on ${host}` };
    },
    async edit(client, work) {
      const before = new Map<string, Original>();
      const id = remoteId(client.id, host);
      let connection: Connection | undefined;
      let isSent = false;
      // The record of what was changed names the copies, so all commands have the same ones.
      const lock = await listen(`files of ${host}`, (probe) => probe.destroy());
      if (lock === undefined)
        throw new StartError(`Another command changes files on ${host}. Run this again when it has ended.`);
      try {
        connection = await connectionOf(id);
        // A command that was killed leaves its copies.
        rmSync(folder, { recursive: true, force: true });
        const { rule } = client;
        const file = client.file(remote.place);
        const ruleFile = rule === undefined || rule.kind === 'entry' ? file : rule.file(remote.place);
        // One client prefers a file with this name, if it exists.
        const files = [...new Set([file, `${file}c`, ruleFile])];
        for (const each of files) {
          const path = shellQuoted(there(each));
          const script = `[ -e ${path} ] || exit ${NO_FILE}; cksum < ${path} && cat -- ${path}`;
          const { output, code } = await ssh(script, { allowed: NO_FILE });
          mkdirSync(dirname(each), { recursive: true, mode: 0o700 });
          if (code === 0) {
            const end = output.indexOf('\n');
            const content = output.subarray(end + 1);
            before.set(each, { sum: output.toString('utf8', 0, end), content });
            await writeFile(each, content, { mode: 0o600 });
          }
        }
        const code = await work();
        for (const each of files) isSent = (await send(each, before.get(each))) || isSent;
        return code;
      } catch (error) {
        // The record tells what is there: what was not undone can be undone later.
        if (connection !== undefined || !isSent) await remember(id, connection);
        if (!(error instanceof StartError)) throw error;
        // The copy here is deleted: the person corrects the file there.
        throw new StartError(remote.shown(error.message), { cause: error });
      } finally {
        rmSync(folder, { recursive: true, force: true });
        lock.server.close();
      }
    },
    shown: (line) => line.replaceAll(folder, `${host}:${home}`),
    async serve(name) {
      const own = await listen(host, (agent) => void relay(agent, name).catch(() => agent.destroy()));
      if (own === undefined) {
        print(`Another command lets the agents on ${host} use this desk already.`);
        return 0;
      }
      own.server.once('drop', () =>
        note(`More than ${MAX_AGENTS} agents on ${host}: further ones are refused.`),
      );
      const path = shellQuoted(socket);
      await ssh(`mkdir -p -m 700 ${shellQuoted(posix.dirname(socket))} && rm -f ${path}`);
      const args = ['-o', 'ExitOnForwardFailure=yes', '-o', 'ServerAliveInterval=15'];
      const tunnel = `${socket}:${own.address}`;
      // It ends with this program, also if that is killed.
      // A command on another machine may have put its own socket there.
      const inode = `$(ls -i ${path} 2> /dev/null)`;
      const script = `i="${inode}"; echo ready; cat > /dev/null; [ "${inode}" = "$i" ] && rm -f ${path}`;
      const child = spawn('ssh', [...args, '-R', tunnel, host, `sh -c ${shellQuoted(script)}`], {
        env: { ...env },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = once(child, 'close');
      child.stdout.once('data', () => print(`Agents on ${host} use this desk as long as this command runs.`));
      try {
        await ended;
      } finally {
        own.server.close();
      }
      note(`ssh ${host} has ended. Run this again to connect its agents.`);
      return child.exitCode ?? 1;
    },
  };

  /** @returns whether the file there was changed. @throws StartError if it is not the one that was read */
  async function send(file: string, before: Original | undefined): Promise<boolean> {
    // It does not exist, before or now.
    const after = existsSync(file) ? await readFile(file) : undefined;
    if (after === undefined ? before === undefined : before?.content.equals(after) === true) return false;
    const path = shellQuoted(there(file));
    const isSame =
      before === undefined ? '[ ! -e "$f" ]' : `[ "$(cksum < "$f")" = ${shellQuoted(before.sum)} ]`;
    // A link into a folder of settings stays one.
    const found = `f=$(readlink -f ${path} || echo ${path}); ${isSame} || exit ${CHANGED}`;
    const change =
      after === undefined
        ? `rm -f ${path}`
        : `umask 077; mkdir -p ${shellQuoted(posix.dirname(there(file)))} && { [ ! -e "$f" ] || cp -p "$f" "$f.deskside"; } && cat > "$f.deskside" && mv "$f.deskside" "$f"`;
    const { code } = await ssh(`${found}; ${change}`, { input: after ?? '', allowed: CHANGED });
    if (code === CHANGED) throw new StartError(`${file}: It has changed meanwhile. Try again.`);
    return true;
  }

  /** @returns undefined if another command of this user listens for the same */
  async function listen(what: string, onConnection: (socket: Socket) => void) {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    // A socket has a short path, and ssh separates paths with colons.
    const address = socketAddress({ folder: dirname(folder), uid: self.uid }, digestOf(what).slice(0, 16));
    const server = createServer(onConnection);
    server.maxConnections = MAX_AGENTS;
    for (;;) {
      try {
        await once(server.listen(address), 'listening');
        return { address, server };
      } catch (error) {
        if (errnoOf(error) !== 'EADDRINUSE') throw error;
        if (await isServed(address)) return undefined;
        // A command that was killed leaves its socket.
        rmSync(address, { force: true });
      }
    }
  }

  /** An agent there becomes a client of the desk of this machine. */
  async function relay(agent: Socket, name: string): Promise<void> {
    agent.on('error', () => agent.destroy());
    const timer = setTimeout(() => agent.destroy(), ATTACH_SECONDS * 1000);
    const project = await firstLine(agent).finally(() => clearTimeout(timer));
    // No variable can contain a NUL.
    if (project === undefined || project.includes('\0')) return void agent.destroy();
    // The answers come after the end of its input.
    agent.allowHalfOpen = true;
    const [program, file] = self.command;
    const attach = `--attach-timeout=${ATTACH_SECONDS}`;
    const child = spawn(program, [file, 'stdio', `--as=${name}`, attach], {
      // Its name is that of the folder there; no folder here has this path.
      env: { ...env, CLAUDE_PROJECT_DIR: `ssh://${host}${project}` },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.on('error', () => agent.destroy());
    child.on('error', () => agent.destroy());
    agent.pipe(child.stdin);
    child.stdout.pipe(agent);
    agent.on('close', () => child.stdin.end());
  }

  return remote;
}

/** True if another command of this user listens there. */
function isServed(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(address);
    probe.on('error', () => resolve(false));
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
  });
}
