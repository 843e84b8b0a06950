import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  cleanEnvironment,
  connectInProcess,
  connectStdio,
  LEGS,
  startProgram,
  temporaryFolder,
} from '@deskside/testkit';
import { expect, test } from 'vitest';
import { definition, open } from './server.ts';
import { ANSWERS, answers } from './testing/answers.ts';

const ERAS = ['legacy', 'modern'] as const;
const PROGRAM = { command: process.execPath, args: [join(import.meta.dirname, 'cli.ts')] };
const AGGREGATOR = fileURLToPath(import.meta.resolve('@deskside/aggregator/package.json'));
const DESKSIDE = join(AGGREGATOR, '../dist/bin/cli.js');

test.each(ERAS)('the example alone answers over stdio in the %s era', async (era) => {
  await using peer = await connectStdio(PROGRAM, { era });
  expect(await answers(peer)).toEqual(ANSWERS);
});

test.each(LEGS)('the example as a library answers over $over in the $era era', async (leg) => {
  await using peer = await connectInProcess(definition(open()), leg);
  expect(await answers(peer)).toEqual(ANSWERS);
});

test.each(ERAS)('the example behind the aggregator answers with a prefix in the %s era', async (era) => {
  const home = temporaryFolder();
  const env = cleanEnvironment(home);
  mkdirSync(join(home, 'config/deskside'), { recursive: true });
  const line = `mounts.tram.module = ${JSON.stringify(join(import.meta.dirname, 'server.ts'))}\n`;
  writeFileSync(join(home, 'config/deskside/deskside.toml'), line);
  const program = (...args: readonly string[]) => ({
    command: process.execPath,
    args: [DESKSIDE, ...args],
    env,
  });
  await using applied = startProgram(program('apply', '--yes'));
  expect(await applied.exited).toBe(0);
  await using peer = await connectStdio(program('stdio', '--standalone', '--mounts', 'tram'), { era });
  expect((await peer.listTools()).map(({ name }) => name)).toEqual(['tram_list_departures']);
  expect(await answers(peer, 'tram_list_departures')).toEqual(ANSWERS);
});
