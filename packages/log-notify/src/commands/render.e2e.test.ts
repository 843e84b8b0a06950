import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { openJournal } from '@deskside/desktop';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { run, written } from '../testing/bin.ts';

const template =
  '{% if complexity > 5 %}{{ notify "Complex", level: "warn" }}{% endif %}Hello {{ name }}{% render "part" %}\n';

function files(): string {
  const home = temporaryFolder();
  writeFileSync(join(home, 'page.liquid'), template);
  writeFileSync(join(home, 'part.liquid'), '!{{ notify "part" }}');
  return home;
}

test('render --mode instruct writes instructions for a model into the output', async () => {
  const home = files();
  writeFileSync(join(home, 'values.json'), '{"complexity": 9, "name": "Bob"}');
  const args = ['--mode', 'instruct', '--data', join(home, 'values.json'), 'name=Eve'];
  const { stdout } = await run(home, ['render', join(home, 'page.liquid'), ...args]);
  expect(stdout).toBe(
    '[Call the tool notify with {"message":"Complex","level":"warn"}]Hello Eve![Call the tool notify with {"message":"part"}]\n',
  );
});

test.each([
  [['render'], /Missing template/],
  [['render', 'missing.liquid'], /missing\.liquid cannot be read\. Pass its path\./],
  [['render', 'x.liquid', 'novalue'], /"novalue" is not a NAME=VALUE pair/],
])('the arguments %j fail with a reason', async (args, why) => {
  const { code, stderr } = await run(temporaryFolder(), args);
  expect(code).toBe(1);
  expect(stderr).toMatch(why);
});

test('render reads no partial outside the folder of the template', async () => {
  const home = files();
  writeFileSync(join(home, 'out.liquid'), '{% render "/etc/hostname" %}{% include "../../etc/hostname" %}');
  const { code, stderr } = await run(home, ['render', join(home, 'out.liquid')]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/ENOENT/);
});

test('render waits for its notifications, also if a rule asks how long the person is away', async () => {
  const home = files();
  const config = join(home, 'rules.toml');
  writeFileSync(config, '[[rule]]\naway = "2m"\nto = []\n');
  writeFileSync(join(home, 'gdbus'), '#!/bin/sh\nsleep 0.5\nexit 1\n', { mode: 0o755 });
  const args = ['render', join(home, 'page.liquid'), '--config', config, 'complexity=7', 'name=Ada'];
  await run(home, args, '', { PATH: `${home}:${process.env['PATH'] ?? ''}` });
  expect(
    written(home)
      .map(({ message }) => String(message))
      .toSorted(),
  ).toStrictEqual(['Complex', 'part']);
});

test('what was sent before a template fails is recorded as sent', async () => {
  const home = temporaryFolder();
  writeFileSync(join(home, 'fails.liquid'), '{{ notify "sent before" }}{% render "missing" %}');
  expect((await run(home, ['render', join(home, 'fails.liquid')])).code).toBe(1);
  expect(written(home)).toMatchObject([{ message: 'sent before' }]);
  await using journal = openJournal({
    places: { state: join(home, 'state/deskside'), runtime: [] },
    log: silentLog,
  });
  expect(await journal.records()).toMatchObject([
    { caller: 'render', outcome: 'stored', content: { text: 'sent before', level: 'info' } },
  ]);
});
