import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connectInProcess, firstText, temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openLogNotify } from './log-notify.ts';
import { readJsonLine } from './message/json-line.ts';
import { logNotifyServer } from './server.ts';

const CALLS = 10_000;

/** A server that takes every request and never answers. */
async function hangingUrl(): Promise<string> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes, without what nobody holds any more. */
function heapInUse(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Sinks that hang and fail, and nothing else. */
async function brokenSinks(): Promise<string> {
  const config = join(temporaryFolder(), 'log-notify.toml');
  writeFileSync(
    config,
    `[stderr]
enabled = false
[file]
path = "/dev/full"
[[webhook]]
url = "${await hangingUrl()}"
rate = false
fold = false
[[ntfy]]
url = "${await hangingUrl()}"
topic = "x"
`,
  );
  return config;
}

test('ten thousand calls at once are each answered, though no sink works', async () => {
  await using logNotify = openLogNotify({ config: await brokenSinks(), report: () => undefined });
  const definition = logNotifyServer(logNotify);
  await using peer = await connectInProcess(definition, { era: 'modern', over: 'stdio' });
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) =>
      firstText(await peer.callTool('notify', { message: `number ${index}` })),
    ),
  );
  expect(answers).toStrictEqual(
    Array.from({ length: CALLS }, (_, index) => `Notification sent: number ${index}`),
  );
});

/** 5 kB of its own: strings that are put together would share their parts. */
function copied(number: number): string {
  return Buffer.from(`${number} ${'x'.repeat(5000)}`).toString('latin1');
}

test('what waits for sinks that never take it is bounded', async () => {
  await using logNotify = openLogNotify({ config: await brokenSinks(), report: () => undefined });
  const flood = (from: number) =>
    Promise.all(
      Array.from({ length: CALLS }, (_, index) =>
        logNotify.notify({ level: 'error', context: 'llm', message: copied(from + index) }),
      ),
    );
  await flood(0);
  const before = heapInUse();
  await flood(CALLS);
  // Ten thousand more messages are 50 MB.
  expect(heapInUse() - before).toBeLessThan(20_000_000);
});

test('every error of a flood is kept, and what was lost is told', async () => {
  const folder = temporaryFolder();
  const [config, file] = [join(folder, 'log-notify.toml'), join(folder, 'notify.jsonl')];
  writeFileSync(config, '[stderr]\nenabled = false\n[desktop]\nenabled = false\n');
  await using logNotify = openLogNotify({ config, file, report: () => undefined });
  await logNotify.notify({ level: 'info', context: 'llm', message: 'opens it' });
  await logNotify.settled();
  for (let index = 0; index < CALLS; index += 1) {
    await logNotify.notify({
      level: index % 100 === 0 ? 'error' : 'info',
      context: 'llm',
      message: `number ${index}`,
    });
  }
  await logNotify.settled();
  const written = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => readJsonLine(line));
  expect(written.filter((each) => each?.level === 'error')).toHaveLength(CALLS / 100);
  const lost = written
    .map((each) => Number(/^(\d+) notifications? (?:was|were) lost/.exec(each?.message ?? '')?.[1] ?? 0))
    .reduce((sum, count) => sum + count, 0);
  const numbered = written.filter((each) => each?.message.startsWith('number '));
  expect(numbered.length + lost).toBe(CALLS);
});
