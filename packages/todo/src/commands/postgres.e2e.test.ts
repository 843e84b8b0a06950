import { connectHttp, firstText, hasPostgres, startProgram } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { usePostgres } from '../testing/postgres-database.ts';
import { MAIN_TOKEN, todoCommand } from '../testing/replica.ts';
import { doctor } from './doctor.ts';

const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';
const HTTP = ['--http', '--port', '0'];

describe.skipIf(!hasPostgres)(`deskside-todo on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test('doctor counts the tasks of the users, creates nothing, and reports a database that only reads', async () => {
    const env = { TODO_DATABASE_URL: database().url };
    const flags = { all: true, 'delegated-users': 'owner,ada,ada' };
    expect((await runCommand(doctor, { env, flags })).stdout).toMatch(
      /No problems found[^]*Schema version +none/,
    );
    await using server = startProgram(todoCommand(database().url, HTTP));
    await server.printed(/task database connected/);
    const { stdout } = await runCommand(doctor, { env, flags });
    expect(stdout).toMatch(/No problems found[^]*Role +app[^]*owner: 0 pending, 0 completed/);
    expect(stdout.match(/owner: |ada: /g)).toHaveLength(2);
    await database().query('ALTER ROLE app SET default_transaction_read_only = on');
    expect(await runCommand(doctor, { env })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/The database only reads[^]*Use the URL of the primary server/),
    });
    await database().query('ALTER ROLE app RESET default_transaction_read_only');
  });

  test('doctor and the log of a server report a role that bypasses row level security', async () => {
    const url = database().server.url('todo');
    await using server = startProgram(todoCommand(url, HTTP));
    const [line] = await server.printed(/^.*bypasses row level security.*$/m);
    expect(JSON.parse(line)).toMatchObject({ level: 'warn' });
    expect(await runCommand(doctor, { env: { TODO_DATABASE_URL: url } })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('role postgres bypasses row level security'),
    });
  });

  test('a server logs without the password that its database does not answer, and goes on', async () => {
    const url = 'postgres://me:secret@127.0.0.1:1/todo?password=secret';
    await using server = startProgram(todoCommand(url, HTTP));
    const [line] = await server.printed(/^.*task database unavailable.*$/m);
    expect(JSON.parse(line)).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
    const [, address = ''] = await server.printed(/serves MCP at (\S+)\n/);
    await using peer = await connectHttp(address, { era: 'modern', token: MAIN_TOKEN });
    const answer = firstText(await peer.callTool('list_tasks', { user_id: 'me' }));
    expect(JSON.parse(answer)).toMatchObject({ code: 'UNAVAILABLE' });
    expect(answer).not.toContain('127.0.0.1');
    const report = await runCommand(doctor, { env: { TODO_DATABASE_URL: url } });
    expect(report).toMatchObject({ code: 1, stdout: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(report) + server.stderr() + server.stdout()).not.toContain('secret');
  });
});
