import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { firstLine } from '@deskside/core/desk';
import { connectStdio, startProgram, temporaryFolder } from '@deskside/testkit';
import { parse } from 'smol-toml';
import { expect, onTestFinished, test } from 'vitest';
import { type DeskHome, deskHome } from '../testing/desk-home.ts';
import { RELAY } from './connect-remote.ts';

const SSHD = '/usr/sbin/sshd';
const KEYGEN = '/usr/bin/ssh-keygen';
const HOST = 'build-box';
/** sshd of Debian starts sessions of other users only as root. */
const canServe = existsSync(SSHD) && process.getuid?.() === 0;
const needs = canServe ? '' : ' (needs root and openssh-server)';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** A real sshd on this machine, whose sessions have another home folder: the machine `build-box`. */
async function startMachine() {
  const folder = temporaryFolder();
  const home = join(folder, 'there');
  const bin = join(folder, 'bin');
  for (const each of [home, bin]) mkdirSync(each);
  // Its sessions have no privileges to separate without this folder.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  for (const name of ['host', 'user'])
    spawnSync(KEYGEN, ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  const port = await freePort();
  writeFileSync(
    join(folder, 'sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${folder}/host`,
      `AuthorizedKeysFile ${folder}/user.pub`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      `SetEnv HOME=${home} PATH=${process.env['PATH'] ?? ''}`,
    ].join('\n'),
  );
  writeFileSync(
    join(folder, 'ssh_config'),
    [
      `Host ${HOST}`,
      'HostName 127.0.0.1',
      `Port ${port}`,
      'User root',
      `IdentityFile ${folder}/user`,
      'IdentitiesOnly yes',
      'StrictHostKeyChecking no',
      'LogLevel ERROR',
      `UserKnownHostsFile ${folder}/known`,
    ].join('\n'),
  );
  // ssh reads the configuration of the user of this process, wherever HOME is.
  const ssh = join(bin, 'ssh');
  writeFileSync(ssh, `#!/bin/sh\nexec /usr/bin/ssh -F ${folder}/ssh_config "$@"\n`);
  chmodSync(ssh, 0o755);
  const sshd = startProgram({
    command: SSHD,
    args: ['-D', '-e', '-f', join(folder, 'sshd_config')],
    env: {},
  });
  onTestFinished(() => sshd[Symbol.asyncDispose]());
  await sshd.printed(/listening/i);
  return { sshd, home, ssh, path: `${bin}${delimiter}${process.env['PATH'] ?? ''}` };
}

async function run(desk: DeskHome, path: string, ...args: readonly string[]) {
  await using program = startProgram(desk.command(['connect', ...args], { PATH: path }));
  await program.exited;
  return program.stdout() + program.stderr();
}

test.skipIf(!canServe)(
  `an agent on another machine uses this desk while ssh runs, and its label names the machine${needs}`,
  async () => {
    const machine = await startMachine();
    const { home, path, ssh } = machine;
    const desk = deskHome();
    const file = join(home, 'dotfiles.toml');
    writeFileSync(file, 'model = "o5" # mine\n', { mode: 0o640 });
    mkdirSync(join(home, '.codex'));
    symlinkSync(file, join(home, '.codex/config.toml'));

    const planned = await run(desk, path, 'codex', '--remote', HOST, '--dry-run');
    expect(planned).toContain(`Would write to ${HOST}:${home}/.codex/config.toml`);
    expect(readFileSync(file, 'utf8')).toBe('model = "o5" # mine\n');

    const args = ['connect', 'codex', '--remote', HOST];
    await using tunnel = startProgram(desk.command(args, { PATH: path }));
    await tunnel.printed(/Agents on build-box use this desk/);
    const written = readFileSync(file, 'utf8');
    expect(written).toMatch(/^model = "o5" # mine\n/);
    const { mcp_servers: servers } = parse(written) as {
      readonly mcp_servers: { readonly deskside: { readonly command: string; readonly args: string[] } };
    };
    const { command, args: entry } = servers.deskside;
    expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe(written);

    // As the client there starts it, in the folder of its project.
    const project = join(home, 'web shop');
    mkdirSync(project);
    const quoted = [command, ...entry].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`);
    const line = `cd '${project}' && exec ${quoted.join(' ')}`;
    {
      await using agent = await connectStdio(
        { command: ssh, args: [HOST, line], env: { PATH: path } },
        { era: 'legacy' },
      );
      await agent.callTool('todo_add_task', { user_id: 'me', title: 'Milk' });
      expect((await desk.status()).sessions).toMatchObject([
        { name: 'codex on build-box', label: 'codex on build-box · web shop', openCalls: 0 },
      ]);
      const records = (await desk.run('log', '--json'))
        .split('\n')
        .slice(0, -1)
        .map((each) => JSON.parse(each));
      expect(records).toMatchObject([
        { caller: 'codex on build-box · web shop', tool: 'add_task', outcome: 'ok' },
      ]);
    }
    await expect.poll(async () => (await desk.status()).sessions).toStrictEqual([]);

    // What no folder is named ends this connection only.
    const hostile = connect(join(home, '.deskside/desk.sock'));
    const closed = once(hostile.resume(), 'close');
    hostile.write('/x\0y\n');
    await closed;
    expect(tunnel.child.exitCode).toBeNull();
    expect(tunnel.stderr()).toBe('');
    const many = Array.from({ length: 33 }, () => connect(join(home, '.deskside/desk.sock')).resume());
    await Promise.race(many.map((each) => once(each, 'close')));
    for (const each of many) each.destroy();

    // Also after its end by force nothing there can use the desk.
    tunnel.child.kill('SIGKILL');
    await expect.poll(() => existsSync(join(home, '.deskside/desk.sock'))).toBe(false);
    const late = startProgram({ command: ssh, args: [HOST, line], env: { PATH: path } });
    expect(await late.exited).toBe(1);
    expect(late.stderr()).toContain('Run deskside connect --remote on the machine of the desk.');

    expect(await run(desk, path, 'codex', '--remote', HOST, '--undo')).toContain('Deskside is removed');
    expect(readFileSync(file, 'utf8')).toBe('model = "o5" # mine\n');
  },
);

test.skipIf(!canServe)(`what ssh refuses is said, and nothing is changed${needs}`, async () => {
  const { sshd, home, path } = await startMachine();
  const desk = deskHome();
  await sshd[Symbol.asyncDispose]();
  expect(await run(desk, path, 'codex', '--remote', HOST)).toMatch(/ssh build-box failed: .*refused/);
  expect(await run(desk, path, '--remote=-oProxyCommand=touch x')).toContain('is not a host of ssh');
  expect(existsSync(join(home, '.codex'))).toBe(false);
});

test.skipIf(!canServe)(`a second command leaves the tunnel of the first one${needs}`, async () => {
  const { home, path } = await startMachine();
  const desk = deskHome();
  await using first = startProgram(desk.command(['connect', '--remote', HOST], { PATH: path }));
  await first.printed(/Agents on build-box use this desk/);
  expect(await run(desk, path, '--remote', HOST)).toContain('use this desk already');
  expect(existsSync(join(home, '.deskside/desk.sock'))).toBe(true);
});

test.skipIf(!canServe)(`a file there that is not UTF-8 is refused with its place there${needs}`, async () => {
  const { home, path } = await startMachine();
  const file = join(home, '.codex/config.toml');
  mkdirSync(join(home, '.codex'), { recursive: true });
  writeFileSync(file, Buffer.from('# für mich\n', 'latin1'));
  expect(await run(deskHome(), path, 'codex', '--remote', HOST, '--dry-run')).toContain(
    `${HOST}:${file}: It is not UTF-8. Save it as UTF-8.`,
  );
});

test.skipIf(process.platform === 'win32')('an agent whose folder was deleted names no folder', async () => {
  const folder = temporaryFolder();
  const socket = join(folder, 'desk.sock');
  const server = createServer().listen(socket);
  onTestFinished(() => void server.close());
  const script = `mkdir ${folder}/gone && cd ${folder}/gone && rmdir ${folder}/gone && exec "$@"`;
  await using agent = startProgram({
    command: 'sh',
    args: ['-c', script, 'sh', process.execPath, '-e', RELAY, socket],
    env: { CLAUDE_PROJECT_DIR: '' },
  });
  const named = new Promise<string | undefined>((resolve) => {
    server.once('connection', (agentSocket) => resolve(firstLine(agentSocket)));
  });
  expect(await named).toBe('');
  expect(agent.stderr()).toBe('');
});
