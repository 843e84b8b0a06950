import { connectHttp, firstText, startProgram } from '@deskside/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../commands/database.ts';
import { doctor } from '../commands/doctor.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { MAIN_TOKEN, todoCommand } from './replica.ts';
import { runCommand } from './run-command.ts';

const HTTP = ['--http', '--port', '0'];

type Command = Parameters<typeof runCommand>[0];
type Environment = Readonly<Record<string, string>>;

/** The exit code of a command, and what it prints. */
async function outcomeOf(command: Command, env: Environment, flags = {}): Promise<string> {
  const { code, stdout } = await runCommand(command, { env, flags });
  return `${code} ${stdout}`;
}

/** What an operator of a database server does and sees. */
export function describeCommands(database: () => PostgresDatabase): void {
  const ownerUrl = () => database().url;
  const clerkUrl = () => database().server.url('todo', 'clerk');
  const asClerk = () => ({ TODO_DATABASE_URL: clerkUrl() });
  const asBoth = () => ({ ...asClerk(), TODO_MIGRATION_URL: ownerUrl() });

  describe('deskside-todo', () => {
    beforeEach(async () => {
      await database().clear();
      await database().query('DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN');
    });

    test('migrate creates the tables for another role, and says so; the second run changes nothing', async () => {
      const env = asBoth();
      const migrated = /^0 postgres:.*\/todo has schema version \d+, migrated from version 0\.\n$/;
      expect(await outcomeOf(migrate, env)).toMatch(migrated);
      expect(await outcomeOf(migrate, env)).toMatch(/^0 [^]*unchanged/);
      const tasks = /^0 [^]*No problems found[^]*Role +clerk[^]*owner: 0 pending, 0 completed/;
      expect(await outcomeOf(doctor, env, { all: true })).toMatch(tasks);
      const flags = { all: true, 'delegated-users': 'owner,ada,ada' };
      const twice = await runCommand(doctor, { env, flags });
      expect(twice.stdout.match(/owner: |ada: /g)).toHaveLength(2);
    });

    test('doctor finds rights whose absence would let every call fail', async () => {
      const { query, clear } = database();
      const refused = /^1 [^]*role clerk may not create or change the tables[^]*TODO_MIGRATION_URL/;
      expect(await outcomeOf(doctor, asClerk())).toMatch(refused);
      expect(await outcomeOf(doctor, asBoth())).toMatch(/^0 /);
      await runCommand(migrate, { env: asBoth() });
      await query('REVOKE INSERT ON deskside_todo.tasks FROM clerk');
      expect(await outcomeOf(doctor, asClerk())).toMatch(
        /^1 [^]*clerk has no right to INSERT on the table tasks/,
      );
      await query('REVOKE USAGE ON SCHEMA deskside_todo FROM clerk');
      expect(await outcomeOf(doctor, asClerk())).toMatch(/^1 /);
      await clear();
      const wrong = { ...asClerk(), TODO_MIGRATION_URL: 'postgres://owner@127.0.0.1:1/todo' };
      expect(await outcomeOf(doctor, wrong)).toMatch(/^1 [^]*ECONNREFUSED/);
    });

    test('doctor reports a database that only reads', async () => {
      await runCommand(migrate, { env: asBoth() });
      await database().query('ALTER ROLE clerk SET default_transaction_read_only = on');
      const onlyReads = /^1 [^]*The database only reads[^]*Use the URL of the primary server/;
      expect(await outcomeOf(doctor, asBoth())).toMatch(onlyReads);
    });

    test('migrate names the missing right, and rejects an SQLite file', async () => {
      await expect(runCommand(migrate, { env: asClerk() })).rejects.toThrow(
        /permission denied.*TODO_MIGRATION_URL$/,
      );
      const file = { TODO_DATABASE_URL: '/srv/todo.sqlite' };
      await expect(runCommand(migrate, { env: file })).rejects.toThrow('SQLite file');
    });

    test('doctor and the log of a server report a role that bypasses row level security', async () => {
      const env = { TODO_DATABASE_URL: database().server.url('todo') };
      await using server = startProgram(todoCommand(env.TODO_DATABASE_URL, HTTP));
      const [line] = await server.printed(/^.*bypasses row level security.*$/m);
      expect(JSON.parse(line)).toMatchObject({ level: 'warn' });
      expect(await outcomeOf(doctor, env)).toMatch(/^1 [^]*role postgres bypasses row level security/);
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
}
