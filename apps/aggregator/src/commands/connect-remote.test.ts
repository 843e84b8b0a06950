import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { clientNamed } from '../clients/found.ts';
import { digestOf } from '../files/digest.ts';
import { runCommand, type RunOptions, SELF } from '../testing/commands.ts';
import { machine } from '../testing/machine.ts';
import { connect } from './connect.ts';

const HOST = 'build-box';
const CODEX = 'model = "o5" # mine\n';

afterEach(() => void vi.unstubAllEnvs());

/**
 * A folder as the home of another machine, with an `ssh` that runs its commands here and has no tunnels. A file `late` there
 * becomes the one of Codex just before a file is written.
 */
function remoteMachine() {
  const { home, env } = machine();
  const there = join(home, 'there');
  mkdirSync(there);
  const script = [
    '#!/bin/sh',
    'case $1 in -*) exit 0 ;; esac',
    'shift',
    `cd '${there}'`,
    'case $* in *umask*) [ ! -e late ] || mv late .codex/config.toml ;; esac',
    'HOME=$PWD exec sh -c "$*"',
  ].join('\n');
  writeFileSync(join(home, 'bin/ssh'), script, { mode: 0o755 });
  const PATH = `${env['PATH']}${delimiter}${process.env['PATH']}`;
  const fileOf = (id: string) => clientNamed(id).file({ platform: 'linux', home: there, env: {} });
  return {
    there,
    copies: join(home, 'data/deskside/remote'),
    fileOf,
    write(id: string, text: string): string {
      const file = fileOf(id);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    run: (id: string, typed?: RunOptions['typed'], flags: RunOptions['flags'] = {}) =>
      runCommand(connect(SELF), {
        operands: [id],
        flags: { remote: HOST, ...flags },
        env: { ...env, PATH },
        ...(typed === undefined ? {} : { typed }),
      }),
  };
}

describe.skipIf(process.platform === 'win32')('--remote', () => {
  test.each<readonly [string, string | undefined, string | undefined]>([
    ['changes', CODEX, 'model = "o6"\n'],
    ['is created', undefined, 'model = "o6"\n'],
    ['is deleted', CODEX, undefined],
  ])('a file that %s there while the person answers is not overwritten', async (_, before, after) => {
    const { run, write, fileOf } = remoteMachine();
    const file = fileOf('codex');
    if (before !== undefined) write('codex', before);
    const ran = await run('codex', async () => {
      if (after === undefined) rmSync(file);
      else write('codex', after);
      return 'y\n';
    });
    expect(ran).toMatchObject({
      code: 1,
      stderr: `${HOST}:${file}: It has changed meanwhile. Try again.\n`,
    });
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(after);
  });

  test('what a change there at the last moment keeps from being undone can be undone later', async () => {
    const { run, there, write } = remoteMachine();
    const file = write('codex', CODEX);
    expect(await run('codex')).toMatchObject({ stdout: expect.stringContaining('Connected') });
    writeFileSync(join(there, 'late'), `# new\n${readFileSync(file, 'utf8')}`);
    expect(await run('codex', undefined, { undo: true })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It has changed meanwhile. Try again.'),
    });
    expect(await run('codex', undefined, { undo: true })).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe(`# new\n${CODEX}`);
  });

  test('two commands for one machine lose nothing of each other', async () => {
    const { run, write, copies } = remoteMachine();
    const codex = write('codex', CODEX);
    const cursor = write('cursor', '{ "mcpServers": { "a": { "command": "a" } } }\n');
    const ran = await run('codex', async () => {
      expect(await run('cursor')).toMatchObject({
        code: 1,
        stderr: `Another command changes files on ${HOST}. Run this again when it has ended.\n`,
      });
      return 'y\n';
    });
    expect(ran).toMatchObject({ stdout: expect.stringContaining('Connected') });
    expect(readFileSync(codex, 'utf8')).toMatch(/^model = "o5" # mine\n[^]*deskside/);
    expect(await run('cursor')).toMatchObject({ stdout: expect.stringContaining('Connected') });
    expect(Object.keys(JSON.parse(readFileSync(cursor, 'utf8')).mcpServers).toSorted()).toStrictEqual([
      'a',
      'deskside',
    ]);
    expect(readdirSync(copies)).toStrictEqual([]);
  });

  test('what a killed command left here neither stops the next one nor brings back a file there', async () => {
    const { run, fileOf, copies } = remoteMachine();
    const left = clientNamed('codex').file({ platform: 'linux', home: join(copies, HOST), env: {} });
    mkdirSync(dirname(left), { recursive: true });
    writeFileSync(left, CODEX);
    writeFileSync(join(copies, `${digestOf(`files of ${HOST}`).slice(0, 16)}.sock`), '');
    await run('codex');
    expect(readFileSync(fileOf('codex'), 'utf8')).not.toContain('o5');
  });
});
