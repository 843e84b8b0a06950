import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Desktop,
  missingPackages,
  needs,
  openDesktop,
  isInstalled,
  waitFor,
} from '../testing/desktop.ts';
import { connectPopup } from '../testing/session.ts';
import { choosePart } from '@deskside/testkit';

choosePart(2);

/** A browser with a window of the popup's class that never shows its page. */
const FOREIGN = `#!/bin/sh
xev -name Foreign > /dev/null &
until xprop -name Foreign -f WM_CLASS 8s -set WM_CLASS deskside-popup; do :; done
xprop -name Foreign -f _NET_WM_NAME 8u -set _NET_WM_NAME Chromium
wait
`;

describe.skipIf(missingPackages.length > 0)(`the first moment of a window${needs}`, () => {
  let home: string;
  let desktop: Desktop;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'popup-'));
    desktop = await openDesktop(home);
  });
  afterAll(async () => {
    await desktop[Symbol.asyncDispose]();
    rmSync(home, { recursive: true, force: true });
  });

  test.skipIf(!existsSync('/usr/bin/firefox'))(
    'a browser that shows a page of its own, as a policy can make it, gives way to Firefox at once',
    async () => {
      const folder = mkdtempSync(join(home, 'bin-'));
      writeFileSync(join(folder, 'chromium'), FOREIGN, { mode: 0o755 });
      await using client = await connectPopup({
        ...desktop.env,
        PATH: `${folder}:${desktop.env['PATH'] ?? ''}`,
      });
      const answer = client.notify({ message: 'Which one?' });
      await client.logged('popup shown', 0);
      expect(client.log()).toContain('showed another page');
      await desktop.dismiss();
      expect(await answer).toBe('User dismissed the popup');
      expect(client.log()).not.toContain('showed nothing');
    },
  );
});

describe.skipIf(missingPackages.length > 0 || !isInstalled('i3'))(
  `in a tiling window manager${needs}`,
  () => {
    test('a popup beside another window is centered, not tiled, with its title bar on the screen', async () => {
      const home = mkdtempSync(join(tmpdir(), 'popup-'));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      await using desktop = await openDesktop(home, { windowManager: 'i3' });
      const other = spawn('xev', [], { env: desktop.env, stdio: 'ignore' });
      onTestFinished(() => void other.kill('SIGKILL'));
      await waitFor(() => desktop.activeTitle() === 'Event Tester', 'another window has the keyboard');
      await using client = await connectPopup(desktop.env);
      for (const message of ['Which one?', 'Line\n\n'.repeat(20)]) {
        const since = client.now();
        const answer = client.notify({ message, title: 'centered' });
        await client.logged('popup shown', since);
        await waitFor(() => {
          const { x = 0, y = 0, width = 0, height = 0 } = desktop.popup() ?? {};
          // The window manager centers it before it gets its own size back.
          const isCentered = Math.abs(x + width / 2 - 800) < 40 && Math.abs(y + height / 2 - 500) < 40;
          return isCentered && width === 500;
        }, 'the popup is in the center and has its width');
        await desktop.popupHasKeyboard();
        await desktop.dismiss();
        expect(await answer).toBe('User dismissed the popup');
      }
    });
  },
);
