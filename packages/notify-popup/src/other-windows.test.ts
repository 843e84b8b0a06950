import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desktop, openDesktop } from './testing/desktop.ts';
import { connectPopup, type PopupClient } from './testing/popup-client.ts';
import { missingPackages } from './testing/programs.ts';
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
    let home: string;
    let desktop: Desktop;
    let client: PopupClient;
    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'popup-'));
      desktop = await openDesktop(home);
      client = await connectPopup(desktop.env, ['--presenter', name]);
    });
    afterAll(async () => {
      await client[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    });

    async function ask(args: Record<string, unknown> = {}): Promise<{ answer: Promise<string> }> {
      const since = client.now();
      const answer = client.notify({ message: 'Which one?', title: 'A title', ...args });
      await client.logged('popup shown', since);
      await desktop.popupHasKeyboard();
      return { answer };
    }

    test('shows the page on top, and takes a reply', async () => {
      const { answer } = await ask();
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
