import { sql } from 'drizzle-orm';
import { DatabaseError, escapeLiteral, type Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StoreBusy, StoreUnavailable } from '../store/task-store.ts';
import { connect, toConnectError, toStoreError } from './connection.ts';
import { ask, finish, query } from '../store/statements.ts';
import { type Call, literal, runTransaction } from './transaction.ts';

const nothing = query(() => sql`SELECT 1`, Number);

/** An error that the server sent. */
function serverError(code: string): Error {
  return Object.assign(new DatabaseError(`state ${code}`, 1, 'error'), { code });
}

test.each([
  ['57P01', 'an administrator stops the server', StoreUnavailable],
  ['08006', 'the connection failed', StoreUnavailable],
  ['25006', 'the server only reads', StoreUnavailable],
  ['25P03', 'the server ended an idle transaction', StoreUnavailable],
  ['28P01', 'the password is wrong', StoreUnavailable],
  ['3D000', 'the database does not exist', StoreUnavailable],
  ['42501', 'the role has too few rights', StoreUnavailable],
  ['53100', 'the disk is full', StoreUnavailable],
  ['54000', 'a user id is longer than an index of the server allows', StoreUnavailable],
  ['58030', 'the disk failed', StoreUnavailable],
  ['XX001', 'the data is damaged', StoreUnavailable],
  ['40001', 'a transaction must be repeated', StoreBusy],
  ['40P01', 'a deadlock', StoreBusy],
  ['53300', 'too many connections', StoreBusy],
  ['55P03', 'a lock timeout', StoreBusy],
  ['57014', 'a statement timeout', StoreBusy],
])('PostgreSQL state %s: %s', (code, _, kind) => {
  expect(toStoreError(serverError(code))).toBeInstanceOf(kind);
});

test.each(['23505', '25P02', '42601', '42703'])('PostgreSQL state %s is a defect of the program', (code) => {
  const error = serverError(code);
  expect(toStoreError(error)).toBe(error);
});

test.each([
  'Connection terminated unexpectedly',
  'Client was closed and is not queryable',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'Received unexpected commandComplete message from backend.',
])('an error of pg without a code is unavailable: %s', (message) => {
  expect(toStoreError(new Error(message))).toBeInstanceOf(StoreUnavailable);
});

test('an error of the system is unavailable, also if its code looks like a state of PostgreSQL', () => {
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  expect(toStoreError(closed)).toBeInstanceOf(StoreUnavailable);
});

test('an error of the program is not one of the database, except while it connects', () => {
  const error = new TypeError('x is not a function');
  expect(toStoreError(error)).toBe(error);
  expect(toConnectError(error)).toBeInstanceOf(StoreUnavailable);
});

test.each([
  ['busy, if all connections are in use', StoreBusy, 10, {}],
  ['unavailable, if there are fewer', StoreUnavailable, 9, {}],
  ['unavailable, if the server cannot be reached', StoreUnavailable, 10, { code: 'ECONNREFUSED' }],
])('a connection that does not come in time is %s', async (_, expected, totalCount, more) => {
  const timeout = Object.assign(new Error('timeout exceeded when trying to connect'), more);
  const options = {
    max: 10,
    maxUses: 0,
    allowExitOnIdle: false,
    maxLifetimeSeconds: 0,
    idleTimeoutMillis: 0,
  };
  const pool = { totalCount, options, connect: () => Promise.reject(timeout) };
  await expect(connect(pool, performance.now() + 5000)).rejects.toBeInstanceOf(expected);
});

/** Runs a change of anna with 5 seconds on a connection that answers each message so. @returns which connections were broken */
async function changeWith(answer: (text: string) => Promise<unknown>, work: Call<unknown>['work']) {
  const released: unknown[] = [];
  const client = {
    query: ({ text }: { readonly text: string }) => answer(text),
    release: (isBroken: boolean) => void released.push(isBroken),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of a pool that a transaction uses
  const pool = { connect: async () => client } as unknown as Pool;
  const caller = { actor: 'anna', user: 'anna' };
  await runTransaction(pool, { caller, isChange: true, deadlineMs: performance.now() + 5000, work });
  return released;
}

test('a change that meets a connection which the server had ended before is made once, on another one', async () => {
  const errors = [serverError('57P05')];
  const answer = async () => {
    const error = errors.pop();
    if (error !== undefined) throw error;
    return [{ rows: [] }, { rows: [] }];
  };
  expect(await changeWith(answer, () => finish(nothing()))).toStrictEqual([true, false]);
});

test('a call of two round trips has one deadline, and plans that are not compiled', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const limits: unknown[] = [];
  const answer = async (text: string) => {
    limits.push(/statement_timeout', '(\d+)'/.exec(text)?.[1]);
    if (limits.length === 1) expect(text).toContain("set_config('jit', 'off', true)");
    vi.advanceTimersByTime(2000);
    return [];
  };
  await changeWith(answer, function* twice() {
    yield* ask(nothing());
    yield* finish(nothing());
  });
  expect(limits).toStrictEqual(['4500', '2500']);
});

test.each(['', 'Milk', "Anna's", String.raw`C:\temp`, String.raw`'\''`, '漢字 👩‍🚀', '\n$1 $& $$'])(
  'the literal of %j is that of pg',
  (text) => {
    expect(literal(text)).toBe(escapeLiteral(text));
  },
);
