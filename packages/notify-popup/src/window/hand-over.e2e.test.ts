import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { testSystem } from '../testing/samples.ts';
import { fixedClock } from '@deskside/testkit';
import { handOver, type NewsToShow } from './hand-over.ts';

/** A user with programs of these names, and two messages: each belongs to another display. */
function machine(programs: Readonly<Record<string, string>>) {
  const home = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(home, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(home, name), 0o755);
  }
  const system = testSystem({
    env: { PATH: `${home}:/usr/bin:/bin`, SECRET: 'x', DISPLAY: ':0' },
    home,
    uid: process.getuid?.() ?? -1,
    node: join(home, 'node'),
  });
  const news = ([':1', ':2'] as const).map((display): NewsToShow => {
    const about = { title: 'VoiceMode', theme: 'auto', showsHistory: false, chimes: false } as const;
    return {
      request: { kind: 'news', message: `Done on ${display}!`, caller: 'Example host', ...about },
      system: { ...system, env: { ...system.env, DISPLAY: display } },
    };
  });
  const folder = join(home, '.local/state/deskside/popup/news');
  return {
    folder,
    read: (name: string) => readFileSync(join(home, name), 'utf8'),
    exists: (name: string) => existsSync(join(home, name)),
    give: (clock = fixedClock('2026-03-01T10:00:00Z')) =>
      handOver(news, system, { plain: false, profiles: join(home, 'profiles'), keepsNothing: false }, clock),
  };
}

const NOTIFY = 'echo "$DISPLAY $4" >> "$(dirname "$0")/notified"';

test.each([
  ['is missing', undefined],
  ['ends at once', 'exit 1'],
])('if Node.js %s, each message becomes a notification on its own display', async (_, node) => {
  const { folder, read, give } = machine({
    'notify-send': NOTIFY,
    ...(node === undefined ? {} : { node }),
  });
  await give();
  expect(read('notified').trim().split('\n').toSorted()).toStrictEqual([':1 Done on :1!', ':2 Done on :2!']);
  expect(readdirSync(folder)).toStrictEqual([]);
});

test('the helper gets each message with the display of its client, and no other variable', async () => {
  // The fifth argument is the name of the file.
  const node = 'mv ".local/state/deskside/popup/news/$5" given.json';
  const { folder, read, exists, give } = machine({ 'notify-send': NOTIFY, node });
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const given = give(clock);
  await expect.poll(() => exists('given.json')).toBe(true);
  await clock.advanceAsync(20);
  await given;
  const { news } = JSON.parse(read('given.json'));
  expect(news).toMatchObject([
    { request: { message: 'Done on :1!' }, client: { env: { DISPLAY: ':1' } } },
    { request: { message: 'Done on :2!' }, client: { env: { DISPLAY: ':2' } } },
  ]);
  expect(Object.keys(news[0].client.env)).toStrictEqual(['DISPLAY']);
  expect([readdirSync(folder), exists('notified')]).toStrictEqual([[], false]);
});

test('a server that ends waits 200 ms for a helper that starts slowly, and trusts it', async () => {
  const node = 'echo $$ > starting; mv starting started; exec sleep 1000';
  const { read, exists, give } = machine({ 'notify-send': NOTIFY, node });
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const given = give(clock);
  await expect.poll(() => exists('started')).toBe(true);
  onTestFinished(() => void process.kill(Number(read('started')), 'SIGKILL'));
  let isGiven = false;
  void given.then(() => (isGiven = true));
  await clock.advanceAsync(199);
  expect(isGiven).toBe(false);
  await clock.advanceAsync(20);
  expect([isGiven, exists('notified')]).toStrictEqual([true, false]);
});
