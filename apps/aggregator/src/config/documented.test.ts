import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';
import { emptyConfig, readDeskFile } from './desk-file.ts';
import { EXTERNAL_KEYS } from '@deskside/gateway/config';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/aggregator.md'), 'utf8');
const [, SECTION = ''] = /^## Other servers\n([^]*?)^## /m.exec(PAGE) ?? [];

const examples = [...PAGE.matchAll(/```toml\n([^]*?)```/g)].map(([, toml = '']) => toml);

test('the page has at least seven examples of other servers', () => {
  const ids = examples.flatMap((toml) => Object.keys(readDeskFile(toml).config.external));
  expect(ids.length).toBeGreaterThanOrEqual(7);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(examples)('an example of the page is valid: %s', (toml) => {
  const { config, problems } = readDeskFile(toml);
  expect(problems).toStrictEqual([]);
  expect(changesBetween(emptyConfig, config)).not.toStrictEqual([]);
});

test('the table of settings has exactly the settings that the program reads', () => {
  const rows = SECTION.split('\n').filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, key]) => key),
  );
  expect(new Set(documented)).toStrictEqual(new Set(EXTERNAL_KEYS));
});
