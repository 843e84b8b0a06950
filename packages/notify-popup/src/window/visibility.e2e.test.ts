import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { desktopSessions } from '../desktop/session.ts';
import type { Visibility } from '../service/presenter.ts';
import { missingPackages, needs, openDesktop, waitFor } from '../testing/desktop.ts';
import { popupSpec, testSystem } from '../testing/samples.ts';
import { windowDrivers, windowPresenter } from './presenter.ts';

describe.skipIf(missingPackages.length > 0)(`a popup on a real screen${needs}`, () => {
  test('reports that the person minimizes it and shows it again, and not that it closes', async () => {
    const home = mkdtempSync(join(tmpdir(), 'popup-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    await using desktop = await openDesktop(home);
    const system = testSystem({
      env: desktop.env,
      home,
      uid: process.getuid?.() ?? -1,
      x11Folder: '/tmp/.X11-unix',
    });
    const presenter = windowPresenter({
      sessionOf: desktopSessions(system, true),
      drivers: () => windowDrivers({ presenter: 'chromium' }, { system, folder: home, keepsNothing: true }),
      plain: false,
      systemTheme: async () => 'light',
    });
    const seen: Visibility[] = [];
    const popup = presenter.present(popupSpec({}, { onVisibility: (state) => void seen.push(state) }));
    await popup.shown;
    await waitFor(() => desktop.windowLines().length === 1, 'the window');
    const [window = ''] = desktop.windowLines()[0]?.split(' ') ?? [];
    desktop.run('xdotool', 'windowminimize', window);
    await waitFor(() => seen.at(-1) === 'minimized', 'it is minimized');
    desktop.run('wmctrl', '-i', '-a', window);
    await waitFor(() => seen.at(-1) === 'visible', 'it is visible');
    desktop.run('wmctrl', '-i', '-c', window);
    expect(await popup.ended).toStrictEqual({ kind: 'dismissed' });
    await popup.close();
    // For a moment a window that closes is on no workspace, which is true.
    expect(seen.filter((state) => state === 'minimized')).toStrictEqual(['minimized']);
  });
});
