import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chosenRows } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { root, servers } from '../workspace.ts';

import { optionsIn, recordFirstAnswers, recordMounts } from './first-answers.ts';

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const prepared = servers.filter(({ name }) => name !== '@deskside/log-notify');

test.each(chosenRows(prepared, prepared.length))(
  '$name stores exactly what its server answers in each protocol version',
  async ({ directory }) => {
    const bin = join(directory, 'dist/bin');
    const stored = read(join(bin, 'first-answers.json'));
    expect(stored).toStrictEqual(await recordFirstAnswers(bin, await optionsIn(directory)));
  },
);

test('deskside stores exactly what its mounts list', async () => {
  const aggregator = join(root, 'apps/aggregator');
  expect(read(join(aggregator, 'dist/bin/mounts.json'))).toStrictEqual(await recordMounts(aggregator));
});
