import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testContext } from '@deskside/core/testing';
import { identityName } from '@deskside/core/errors';
import { expect, test } from 'vitest';
import { createAggregator, denied, notApproved } from '@deskside/gateway';
import { openBuiltIn } from '../mounts/built-in.ts';

const ROOT = join(import.meta.dirname, '../../../..');
/** Names of commands, options, settings and buttons that let a call run. */
const WAYS =
  /deskside (?:rules|apply|add|open|token|import)|rules allow|--yes|\bapprovals\s*=|\b(?:run|ask|block)\s*=\s*\[|\/dev\/tty|approvals\.json|allow once|always allow/i;

test('no text of a list names a way to allow a call', async () => {
  await using opened = await openBuiltIn({ DISPLAY: '', TODO_DATABASE_URL: ':memory:' });
  const { definition } = await createAggregator({ mounts: opened.mounts });
  const ctx = testContext();
  const texts = JSON.stringify([
    definition.instructions(identityName),
    await definition.listTools(ctx),
    await definition.listPrompts(ctx),
    await definition.listResources(ctx),
    await definition.listResourceTemplates(ctx),
  ]);
  expect(texts.length).toBeGreaterThan(10_000);
  expect(WAYS.exec(texts)).toBeNull();
});

test('no error that a model reads names a way to allow a call', () => {
  const files = globSync('{apps,packages}/*/src/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/*.test.ts', '**/testing/**'],
  });
  const errors = files.flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return [...source.matchAll(/(?:new UserError|unavailable|refusal|degradedMount)\([^]*?\n?\s*\);/g)].map(
      ([text]) => text,
    );
  });
  expect(errors.length).toBeGreaterThan(50);
  expect(errors.filter((text) => WAYS.test(text))).toStrictEqual([]);
  expect(JSON.stringify(errors)).toContain('has changed what this name stands for');
});

test('no refusal names a way to allow a call', () => {
  const texts = [
    denied('shop_pay', ''),
    ...(['timeout', 'dismissed', 'unreachable'] as const).map((why) => notApproved(why)('shop_pay')),
  ].map((result) => JSON.stringify(result));
  for (const text of texts) {
    expect(WAYS.exec(text)).toBeNull();
    expect(text).toContain('Do not try it another way.');
  }
});
