import { fixedClock } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeScreen, type FakeWindow, startX11Server } from '@deskside/testkit';
import { connectX11 } from '@deskside/desktop';
import { type Visibility, watchVisibility } from './visibility.ts';

const FRAME = { id: 10, area: [90, 70, 320, 240] } as const;
const POPUP = { id: 11, parent: 10, area: [100, 100, 300, 200] } as const;
const popup = (changes: Partial<FakeWindow> = {}): FakeWindow[] => [FRAME, { ...POPUP, ...changes }];

/** A window of another program, in a frame of the window manager. */
const other = (area: FakeWindow['area'], changes: Partial<FakeWindow> = {}): FakeWindow[] => [
  { id: 20, area, ...changes },
  { id: 21, parent: 20, area: [0, 0, 1, 1] },
  { id: 22, parent: 21, area },
];
const POLL = { interval: 5 };
const SCREEN = [0, 0, 1000, 800] as const;

test.each<[string, Visibility, FakeScreen]>([
  ['alone', 'visible', { windows: popup() }],
  [
    'with the state of a minimized window',
    'minimized',
    { windows: popup({ states: ['_NET_WM_STATE_HIDDEN'], isMapped: false }) },
  ],
  ['with another state', 'visible', { windows: popup({ states: ['_NET_WM_STATE_ABOVE'] }) }],
  ['that is not mapped', 'elsewhere', { windows: popup({ isMapped: false }) }],
  ['on another workspace', 'elsewhere', { windows: popup({ workspace: 1 }) }],
  ['on the workspace in use', 'visible', { windows: popup({ workspace: 1 }), workspace: 1 }],
  ['on all workspaces', 'visible', { windows: popup({ workspace: 0xff_ff_ff_ff }), workspace: 1 }],
  ['while the screen saver runs', 'locked', { windows: popup(), isBlank: true }],
  [
    'below a program in full screen',
    'covered',
    { windows: [...popup(), ...other(SCREEN)], managed: [11, 22] },
  ],
  [
    'above a program in full screen',
    'visible',
    { windows: [...other(SCREEN), ...popup()], managed: [11, 22] },
  ],
  [
    'below a window that is exactly as large',
    'covered',
    { windows: [...popup(), ...other(POPUP.area)], managed: [22] },
  ],
  [
    'below a window that is narrower',
    'visible',
    { windows: [...popup(), ...other([100, 100, 299, 200])], managed: [22] },
  ],
  [
    'below a window that is lower',
    'visible',
    { windows: [...popup(), ...other([100, 100, 300, 199])], managed: [22] },
  ],
  [
    'below a window more to the right',
    'visible',
    { windows: [...popup(), ...other([101, 100, 500, 500])], managed: [22] },
  ],
  [
    'below a window further down',
    'visible',
    { windows: [...popup(), ...other([100, 101, 500, 500])], managed: [22] },
  ],
  [
    'below a window on another monitor',
    'visible',
    { windows: [...popup(), ...other([-1000, 0, 1000, 800])], managed: [22] },
  ],
  [
    'below a window that is hidden',
    'visible',
    { windows: [...popup(), ...other(SCREEN, { isMapped: false })], managed: [22] },
  ],
  [
    'below a window that takes no clicks',
    'visible',
    { windows: [...popup(), ...other(SCREEN, { clicks: [] })] },
  ],
  [
    'below a window that takes clicks elsewhere',
    'visible',
    { windows: [...popup(), ...other(SCREEN, { clicks: [[0, 0, 1000, 30]] })] },
  ],
  [
    'below a window without a frame',
    'covered',
    { windows: [...popup(), { id: 20, area: SCREEN }], managed: [20] },
  ],
  [
    'below a window that no window manager manages',
    'locked',
    { windows: [...popup(), ...other(SCREEN)], managed: [11] },
  ],
])('a window %s is %s', async (_, visibility, screen) => {
  const { seen } = await watched(screen);
  await expect.poll(seen, POLL).toStrictEqual([visibility]);
});

test('a change is reported once it has settled, and the watch ends with the window', async () => {
  const { seen, server, ended } = await watched({ windows: popup() });
  await expect.poll(seen, POLL).toStrictEqual(['visible']);
  server.show({ windows: popup({ states: ['_NET_WM_STATE_FOCUSED'] }) });
  server.show({ windows: popup({ isMapped: false }) });
  await expect.poll(seen, POLL).toStrictEqual(['visible', 'elsewhere']);
  server.show({ windows: [] });
  await expect.poll(() => (seen(), ended()), POLL).toBe(true);
  expect(seen()).toStrictEqual(['visible', 'elsewhere']);
});

test('the watch ends with the connection', async () => {
  const { seen, x11, ended } = await watched({ windows: popup() });
  await expect.poll(seen, POLL).toStrictEqual(['visible']);
  x11[Symbol.dispose]();
  await expect.poll(() => (seen(), ended()), POLL).toBe(true);
});

async function watched(screen: FakeScreen) {
  const server = await startX11Server({ idleMs: 0 });
  onTestFinished(() => server[Symbol.asyncDispose]());
  server.show(screen);
  const x11 = await connectX11({ env: { DISPLAY: server.display }, home: '/nowhere' });
  if (x11 === undefined) throw new Error('the server does not answer');
  onTestFinished(() => x11[Symbol.dispose]());
  const clock = fixedClock('2026-03-01T10:00:00Z');
  const reported: Visibility[] = [];
  let hasEnded = false;
  void watchVisibility(x11, POPUP.id, (visibility) => void reported.push(visibility), clock).then(
    () => (hasEnded = true),
  );
  return {
    server,
    x11,
    ended: () => hasEnded,
    /** What was reported, after more time. */
    seen() {
      clock.advance(150);
      return reported;
    },
  };
}
