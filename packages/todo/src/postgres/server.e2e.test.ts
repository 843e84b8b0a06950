import { connectInProcess, hasPostgres, LEGS } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { todoServer } from '../server.ts';
import { answersOf, expectedAnswers } from '../testing/contract-answers.ts';
import { contractRows } from '../testing/contract-rows.ts';
import { usePostgres } from '../testing/postgres-database.ts';
import { NOW } from '../testing/store-under-test.ts';
import { openTodo } from '../todo.ts';

const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';

describe.skipIf(!hasPostgres)(`todo on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  async function connect(leg: (typeof LEGS)[number]) {
    await database().empty();
    const todo = openTodo({ database: database().url }, { now: () => NOW });
    onTestFinished(() => todo[Symbol.asyncDispose]());
    const peer = await connectInProcess(todoServer(todo), leg);
    onTestFinished(() => peer[Symbol.asyncDispose]());
    return peer;
  }

  test.each(contractRows)('contract on PostgreSQL: $says', async (row) => {
    expect(await answersOf(await connect(LEGS[2]), row)).toStrictEqual(expectedAnswers(row));
  });

  describe.each(LEGS)('in the $era era over $over', (leg) => {
    const fiveRows = contractRows.filter((_, index) => index % Math.ceil(contractRows.length / 5) === 0);

    test.each(fiveRows)('keeps the contract on PostgreSQL: $says', async (row) => {
      expect(await answersOf(await connect(leg), row)).toStrictEqual(expectedAnswers(row));
    });

    test('a contract-only call on PostgreSQL has the due date of a task that has one', async () => {
      const peer = await connect(leg);
      const me = { user_id: 'me' };
      await peer.callTool('add_task', { ...me, title: 'Milk', due_date: '2025-12-24', idempotency_key: 'k' });
      const task = { id: 1, title: 'Milk', description: null, completed: false };
      const says = 'lists a task with a due date';
      const text = JSON.stringify([{ ...task, created_at: '2025-12-20T10:30:00Z', due_date: '2025-12-24' }]);
      const row = { says, steps: [{ tool: 'list_tasks', args: me, text }] };
      expect(await answersOf(peer, row)).toStrictEqual(expectedAnswers(row));
    });
  });
});
