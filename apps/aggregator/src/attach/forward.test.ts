import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { forward } from './forward.ts';
import { rpcLine } from './message.ts';

const CALL = rpcLine({ id: 1, method: 'tools/call', params: { name: 'todo_list_tasks' } });
const LISTEN = rpcLine({ id: 2, method: 'subscriptions/listen', params: {} });
const ANSWER = rpcLine({ id: 1, result: { content: [] } });

/** A desk behind a named pipe: if this side ends, the other one ends too. */
function pipe() {
  const received = new PassThrough();
  const socket = new Duplex({
    read() {},
    write(chunk, _, done) {
      received.write(chunk, done);
    },
    final(done) {
      done();
      this.destroy();
    },
  });
  return { socket, received };
}

/** A client whose desk cannot be reached again. */
function forwarded(platform: NodeJS.Platform, socket: Duplex, stdin: PassThrough, output: PassThrough) {
  return forward({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this function uses of a process
    host: Object.assign(new EventEmitter(), {
      platform,
      uptime: () => 0,
      stdin,
    }) as unknown as NodeJS.Process,
    output,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only a stream is used
    socket: socket as Socket,
    reachAgain: async () => ({ reason: 'no desk' }),
    note: () => undefined,
  });
}

test('on Windows a client that ends its input gets the answer to its open call', async () => {
  const { socket, received } = pipe();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = forwarded('win32', socket, stdin, stdout);
  stdin.end(`${LISTEN}\n${CALL}\n`);
  await once(stdin, 'end');
  expect(String(received.read())).toBe(`${LISTEN}\n${CALL}\n`);
  socket.push(`${ANSWER}\n`);
  await ended;
  expect(String(stdout.read())).toBe(`${ANSWER}\n`);
});

test('a client that ends its input ends, also if its desk hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = forwarded('linux', socket, stdin, stdout);
  stdin.end(`${CALL}\n`);
  await once(stdin, 'end');
  vi.advanceTimersByTime(5000);
  await expect(ended).resolves.toBeUndefined();
});

test('a call whose desk was lost and cannot be reached again was not carried out', async () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  void forwarded('linux', socket, stdin, stdout);
  socket.destroy();
  await once(socket, 'close');
  stdin.write(`${CALL}\n`);
  const [line] = (await once(stdout, 'data')) as [Buffer];
  expect(String(line)).toContain('The call was not carried out.');
});
