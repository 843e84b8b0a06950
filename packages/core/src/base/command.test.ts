import { expect, test } from 'vitest';
import { openCommand } from './command.ts';

test.each([
  ['linux', 'xdg-open', ['https://example.com/?a=1&b=2']],
  ['darwin', 'open', ['https://example.com/?a=1&b=2']],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', 'https://example.com/?a=1&b=2']],
] as const)('on %s a link opens with %s and no shell', (platform, command, args) => {
  expect(openCommand(platform, 'https://example.com/?a=1&b=2')).toStrictEqual({ command, args });
});
