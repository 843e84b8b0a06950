import { appendFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openLogNotify } from '../log-notify.ts';
import type { Level } from '../notification/notification.ts';
import { type ReceivedRequest, startReceiver } from '../testing/receiver.ts';
import { journalIn } from '../testing/storage.ts';

const OFF = ['stderr', 'file', 'desktop'].map((sink) => `[${sink}]\nenabled = false\n`).join('');

function messageOf(request: ReceivedRequest | undefined): string {
  return (JSON.parse(request?.body ?? '{}') as { data?: { message?: string } }).data?.message ?? '';
}

/** A server with one webhook, whose receiver answers by what it reads. */
async function deskWith(
  answer: (response: ServerResponse, message: string) => void,
  settings = 'rate = false\nfold = false',
) {
  const receiver = await startReceiver((response, count) =>
    answer(response, messageOf(receiver.received[count - 1])),
  );
  onTestFinished(async () => receiver[Symbol.asyncDispose]());
  const folder = temporaryFolder();
  const config = join(folder, 'log-notify.toml');
  writeFileSync(config, `${OFF}[[webhook]]\nurl = "${receiver.url.href}"\n${settings}\n`);
  const logNotify = openLogNotify({ config }, { journal: journalIn(folder), report: () => undefined });
  onTestFinished(async () => logNotify[Symbol.asyncDispose]());
  return {
    logNotify,
    folder,
    config,
    notify: async (message: string, level: Level = 'error') =>
      logNotify.notify({ level, context: 'llm', message }),
    messages: () => receiver.received.map(messageOf),
  };
}

test('a message that the receiver always refuses with 500 holds nothing else back', async () => {
  const { notify, messages } = await deskWith((response, message) => {
    response.writeHead(message === 'poison' ? 500 : 200).end();
  });
  await notify('first');
  await notify('poison');
  for (let index = 0; index < 5; index += 1) await notify(`PRODUCTION DOWN ${index}`);
  await expect.poll(messages).toContain('PRODUCTION DOWN 4');
  const once = messages().filter((message) => message !== 'poison');
  expect(once).toStrictEqual([
    'first',
    ...Array.from({ length: 5 }, (_, index) => `PRODUCTION DOWN ${index}`),
  ]);
});

test('an error is the next message that a slow receiver gets, before the infos that wait', async () => {
  const waiting: (() => void)[] = [];
  const { notify, messages } = await deskWith((response) => void waiting.push(() => response.end()));
  for (let index = 0; index < 15; index += 1) await notify(`info ${index}`, 'info');
  await notify('PRODUCTION DOWN');
  waiting[0]?.();
  await expect.poll(() => messages()[1]).toBe('PRODUCTION DOWN');
  for (let answered = 1; answered < 16; answered += 1) {
    await expect.poll(() => waiting.length).toBeGreaterThan(answered);
    waiting[answered]?.();
  }
});

test('what a wrong token refuses arrives unchanged when the token is right and the file is saved', async () => {
  let status = 401;
  const { notify, messages, config, logNotify } = await deskWith((response) =>
    response.writeHead(status).end(),
  );
  const reloaded = Promise.withResolvers<void>();
  logNotify.onReload(reloaded.resolve);
  for (let index = 0; index < 3; index += 1) await notify(`error ${index}`);
  await expect.poll(() => messages().length).toBeGreaterThanOrEqual(3);
  status = 200;
  const before = messages().length;
  appendFileSync(config, '# the token is right now\n');
  await reloaded.promise;
  await expect
    .poll(() => messages().slice(before).toSorted())
    .toStrictEqual(['error 0', 'error 1', 'error 2']);
});
