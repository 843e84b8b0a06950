import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { isProgram, openCommand, openInBrowser } from './programs.ts';

test.each([
  ['linux', 'xdg-open', ['https://example.com/?a=1&b=2']],
  ['darwin', 'open', ['https://example.com/?a=1&b=2']],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', 'https://example.com/?a=1&b=2']],
] as const)('on %s a link opens with %s and no shell', (platform, command, args) => {
  expect(openCommand(platform, 'https://example.com/?a=1&b=2')).toStrictEqual({ command, args });
});

test.skipIf(process.platform === 'win32').each([
  ['exit 0', true],
  // As xdg-open without a browser that starts.
  ['exit 4', false],
  // A browser that stays in the foreground.
  ['exec sleep 3', true],
  [undefined, false],
] as const)('a program that opens addresses and runs "%s" has opened one: %s', async (script, isOpen) => {
  const folder = temporaryFolder();
  if (script !== undefined)
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { PATH: script === undefined ? folder : `${folder}:${process.env['PATH']}` };
  expect(await openInBrowser({ platform: 'linux', env }, 'http://127.0.0.1:1/')).toBe(isOpen);
});

test('isProgram is true for an executable file only', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'program'), '', { mode: 0o700 });
  writeFileSync(join(folder, 'text'), '', { mode: 0o600 });
  mkdirSync(join(folder, 'folder'));
  const found = ['program', 'text', 'folder', 'missing'].filter((name) => isProgram(join(folder, name)));
  expect(found).toStrictEqual(['program']);
});
