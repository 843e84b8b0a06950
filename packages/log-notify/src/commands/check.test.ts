import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@deskside/core/errors';
import { recordedContext, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';

import { check } from './check.ts';
import { init } from './init.ts';

/** What `check --for` prints of the example. */
async function exampleOf(words: string): Promise<string> {
  const config = join(temporaryFolder(), 'c.toml');
  const toml = '[stderr]\nlevel = "warn"\n[file]\nenabled = false\n[desktop]\nenabled = false\n';
  writeFileSync(config, toml);
  const context = recordedContext();
  await check.run({ for: words, config }, context);
  const { output } = context.written;
  return output.slice(output.indexOf('Example'));
}

test.each([
  ['level=eror project=shop', 'Use info, warn, error for level in --for.'],
  ['level=', 'Use info, warn, error for level in --for.'],
  ['level=error nonsense', 'Use words like level=error in --for.'],
  ['nonsense level=error', 'Use words like level=error in --for.'],
  ['caller="Claude Code level=error', 'Use words like level=error in --for.'],
  ['level=error away=soon', 'Use a duration such as 5m for away in --for.'],
])('check refuses the example %j', async (words, sentence) => {
  const refused = exampleOf(words);
  await expect(refused).rejects.toThrow(StartError);
  await expect(refused).rejects.toThrow(sentence);
});

test.each([
  ['level=info', 'no (level)'],
  ['level=warning', 'yes'],
  ['level=ERROR caller="Claude Code" ', 'yes'],
  ['project=shop', 'no (level)'],
])('check answers for the example %j: %s', async (words, answer) => {
  expect(await exampleOf(words)).toBe(`Example: ${words}\n  stderr: ${answer}\n`);
});

test('init says how to test the configuration, also in the file', async () => {
  const config = join(temporaryFolder(), 'log-notify.toml');
  const context = recordedContext();
  await init.run({ config }, context);
  expect(context.written.output).toContain('test it with "check --send" in place of "init"');
  expect(readFileSync(config, 'utf8')).toContain('Test it with: deskside-log-notify check --send, or');
});
