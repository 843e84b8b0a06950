import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { machineLike } from '../testing/machine.ts';
import { popupSpec } from '../testing/popup-spec.ts';
import type { WindowDriver } from './window-driver.ts';
import { windowPresenter } from './window-presenter.ts';

function driver(changes: Partial<WindowDriver>): WindowDriver {
  return {
    name: 'chromium',
    centres: true,
    exitTells: false,
    probe: async () => ({ found: '/usr/bin/browser' }),
    open: async () => {
      throw new Error('spawn EACCES');
    },
    ...changes,
  };
}

test('says of each window why it could not be shown', async () => {
  const presenter = windowPresenter({
    machine: machineLike({ env: { XDG_RUNTIME_DIR: temporaryFolder() }, uid: process.getuid?.() ?? -1 }),
    drivers: [
      driver({}),
      driver({ name: 'webkit-gjs', probe: async () => ({ missing: 'no gjs with WebKitGTK 4.1' }) }),
      driver({
        name: 'firefox',
        open: async () => ({ gone: Promise.resolve(1), kill: async () => undefined }),
      }),
    ],
    plain: false,
    systemTheme: async () => 'light',
  });
  await expect(presenter.present(popupSpec()).shown).rejects.toThrow(
    'chromium did not start (spawn EACCES), no gjs with WebKitGTK 4.1, firefox showed nothing',
  );
});
