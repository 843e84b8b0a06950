import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../log.ts';
import { echoServer, gate } from '../testing/echo-server.ts';
import { connectWire } from '../testing/wire.ts';

async function connect() {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) });
  const calls = gate();
  const leg = { era: 'legacy', over: 'stdio', stateless: false } as const;
  const client = await connectWire(echoServer(calls), leg, log);
  onTestFinished(() => client[Symbol.asyncDispose]());
  const logged = () => lines.map((line) => JSON.parse(line)).filter(({ message }) => message === 'request');
  return { ...client, calls, logged };
}

test.each([
  ['ok', 'echo', { text: 'a' }],
  ['error', 'echo', {}],
  ['failed', 'x'.repeat(5000), {}, `${'x'.repeat(99)}…`],
])('the log has a call with the outcome %s: %s with %j', async (outcome, name, args, subject = name) => {
  const { ask, logged } = await connect();
  await ask('tools/call', { name, arguments: args });
  expect(logged()).toMatchObject([{ method: 'tools/call', subject, outcome }]);
});

test('the log has a cancelled call with the outcome cancelled', async () => {
  const { ask, notify, calls, logged } = await connect();
  void ask('tools/call', { name: 'wait', arguments: {} });
  await calls.entered.promise;
  await notify('notifications/cancelled', { requestId: 1 });
  await calls.aborted.promise;
  calls.opened.resolve();
  await expect.poll(logged).toMatchObject([{ method: 'tools/call', subject: 'wait', outcome: 'cancelled' }]);
});
