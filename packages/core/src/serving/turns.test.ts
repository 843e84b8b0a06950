import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ServerDefinition } from '../definition/server.ts';
import { silentLog } from '../log.ts';
import { endpoint } from './http/endpoint.ts';
import { sharedBy } from './protocol/connection.ts';
import { attachedServer } from './stdio/serve-stdio.ts';
import { serverOf } from '../testing/surface.ts';
import { beginSession, INITIALIZE, lineClient, postOf, toolCall } from '../testing/wire.ts';

const BURST = 200;
/** The calls that begin at once, and some turns of the event loop. */
const MAX_BEFORE = 40;

/** A server whose calls are noted in the order in which they run. */
function noting() {
  const noted: string[] = [];
  const definition = serverOf('note', ({ caller }, { number }) => {
    noted.push(`${caller.principal.user} ${Number(number)}`);
    return 'noted';
  });
  return { noted, definition };
}

type Sender = (calls: readonly object[]) => Promise<unknown>;

async function overHttp(definition: ServerDefinition) {
  const served = endpoint(definition, sharedBy(silentLog, undefined), { stateless: false });
  onTestFinished(() => served.close());
  return async (user: string): Promise<Sender> => {
    const send = (init: RequestInit) => served.handle(new Request('http://localhost/mcp', init), { user });
    const session = await beginSession(send);
    return async (calls) =>
      Promise.all(calls.map(async (call) => (await send(postOf(call, session))).text()));
  };
}

async function overLines(definition: ServerDefinition) {
  const serve = attachedServer({ log: silentLog });
  return async (user: string): Promise<Sender> => {
    const { streams, send, next } = lineClient();
    const process = { pid: 7, workingDirectory: '/', env: {} };
    const serving = serve(definition, { principal: { user }, session: user, process }, streams);
    onTestFinished(() => serving.close());
    return async (calls) => {
      send({ ...INITIALIZE, id: 0 }, ...calls);
      for (let answers = 0; answers <= calls.length; answers += 1) await next();
    };
  };
}

test.each([
  ['HTTP', overHttp],
  ['lines', overLines],
])('over %s, a call does not wait for the burst of another caller', async (_, open) => {
  const { noted, definition } = noting();
  const connect = await open(definition);
  const [busy, other] = [await connect('busy'), await connect('other')];
  const burst = Array.from({ length: BURST }, (__, index) =>
    toolCall(index + 1, 'note', { number: index + 1 }),
  );
  const answered = busy(burst);
  await setImmediate();
  await Promise.all([answered, other([toolCall(1, 'note', { number: 1 })])]);
  expect(noted.indexOf('other 1')).toBeLessThan(MAX_BEFORE);
  expect(noted.filter((call) => call !== 'other 1')).toStrictEqual(burst.map(({ id }) => `busy ${id}`));
});

test('fake timers of a test hold up no request', async () => {
  const connect = await overHttp(noting().definition);
  const send = await connect('busy');
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const calls = Array.from({ length: BURST }, (_, index) =>
    toolCall(index + 1, 'note', { number: index + 1 }),
  );
  await expect(send(calls)).resolves.toHaveLength(BURST);
});
