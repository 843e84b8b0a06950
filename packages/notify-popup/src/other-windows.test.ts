import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Desktop } from './testing/desktop.ts';
import { missingPackages } from './testing/programs.ts';
import { openSession, type Session } from './testing/session.ts';
import { becomes, until } from './testing/until.ts';

const OTHERS = [
  {
    name: 'webkit-gjs',
    command: 'gjs',
    args: ['-c', "imports.gi.versions.WebKit2 = '4.1'; imports.gi.WebKit2"],
  },
  { name: 'firefox', command: 'firefox', args: ['--version'] },
] as const;

for (const { name, command, args } of OTHERS) {
  describe.skipIf(missingPackages.length > 0 || !runs(command, args))(`a popup shown by ${name}`, () => {
    let session: Session;
    let desktop: Desktop;
    let ask: Session['ask'];
    beforeAll(async () => {
      session = await openSession(['--presenter', name]);
      ({ desktop, ask } = session);
    });
    afterAll(() => session[Symbol.asyncDispose]());

    test('shows the page on top, and takes a reply', async () => {
      const { answer } = await ask({ title: 'A title' });
      await becomes(() => desktop.popup()?.title.startsWith('A title') === true, 'the page is there');
      const state = () => desktop.run('xprop', '-id', desktop.popup()?.id ?? '', '_NET_WM_STATE');
      await becomes(() => state().includes('_NET_WM_STATE_ABOVE'), 'above the others');
      desktop.type('blue');
      expect(await until(answer, () => desktop.key('Return'))).toBe('User response: blue');
    });

    test("tells Escape from the window's close button", async () => {
      const first = await ask();
      expect(await until(first.answer, () => desktop.key('Escape'))).toBe('User cancelled the popup');
      const second = await ask();
      desktop.run('wmctrl', '-i', '-c', desktop.popup()?.id ?? '');
      expect(await second.answer).toBe('User dismissed the popup');
    });
  });
}

function runs(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
