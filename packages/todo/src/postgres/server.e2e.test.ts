import { hasPostgres, LEGS } from '@deskside/testkit';
import { describe, expect, test } from 'vitest';
import { connectTodo } from '../testing/connect-todo.ts';
import { answersOf, expectedAnswers } from '../testing/contract-answers.ts';
import { contractRows } from '../testing/contract-rows.ts';
import { usePostgres } from '../testing/postgres-database.ts';

const needs = hasPostgres ? '' : ' (skipped: apt-get install postgresql)';

describe.skipIf(!hasPostgres)(`todo on a real PostgreSQL server${needs}`, () => {
  const database = usePostgres();

  test.each(contractRows)('contract on PostgreSQL: $says', async (row) => {
    await database().empty();
    const peer = await connectTodo(LEGS[2], { database: database().url });
    expect(await answersOf(peer, row)).toStrictEqual(expectedAnswers(row));
  });
});
