import { expect, onTestFinished, test } from 'vitest';
import { type FakeX11Server, ROOT, startX11Server, type X11ServerOptions } from '@deskside/testkit';
import { connectX11 } from '@deskside/desktop';
import { openX11Desktop } from './desktop.ts';

const SIZE = { width: 500, height: 600 };
const LEFT = { name: 'left', isPrimary: false, x: 0, y: 0, width: 800, height: 1000 };
const RIGHT = { name: 'right', isPrimary: true, x: 800, y: -200, width: 1600, height: 1200 };

const USE = {
  painted: Promise.resolve(),
  isUsed: () => false,
  title: 'Question',
  onOpen: () => undefined,
  onForeign: () => undefined,
};

async function start(options?: X11ServerOptions): Promise<FakeX11Server> {
  const server = await startX11Server(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const session = ({ display }: FakeX11Server) => ({ env: { DISPLAY: display }, home: '/nowhere' });

test.each([
  [
    'on the monitor under the mouse',
    { monitors: [LEFT, RIGHT], pointer: { x: 10, y: 10 } },
    { x: 150, y: 200 },
    770,
  ],
  [
    'on the primary monitor if the mouse is on none',
    { monitors: [LEFT, RIGHT], pointer: { x: 9000, y: 0 } },
    { x: 1350, y: 100 },
    924,
  ],
  [
    'at the corner of a monitor that is smaller',
    { monitors: [{ ...LEFT, width: 400, height: 300 }] },
    { x: 0, y: 0 },
    231,
  ],
  ['nowhere if the server has no RandR extension', {}, undefined, undefined],
])('the window is centered %s', async (_, options, center, highest) => {
  const desktop = await openX11Desktop(session(await start({ ...options, chunkBytes: 7 })));
  onTestFinished(() => desktop?.close());
  expect([desktop?.centerOf(SIZE), desktop?.highest]).toStrictEqual([center, highest]);
});

test('the client waits for its window, then asks to keep it above, on every workspace, with the keyboard', async () => {
  const server = await start();
  const desktop = await openX11Desktop(session(server));
  const opened: string[] = [];
  const onOpen = () => void opened.push('open');
  desktop?.keepOnTop({ ...USE, takesKeyboard: true, onOpen });
  server.mapWindows(new Map([[7, 'xterm']]));
  server.mapWindows(
    new Map([
      [7, 'xterm'],
      [8, 'deskside-popup'],
    ]),
  );
  await expect
    .poll(() => server.messages)
    .toStrictEqual([
      ['_NET_WM_STATE', 8, 1, '_NET_WM_STATE_ABOVE', '_NET_WM_STATE_STICKY', 2, 0],
      ['_NET_WM_DESKTOP', 8, 0xff_ff_ff_ff, 2, 0, 0, 0],
      ['_NET_ACTIVE_WINDOW', 8, 2, 0, 0, 0, 0],
    ]);
  expect(opened).toStrictEqual(['open']);
});

test('the window of another server, such as news that stays, is not taken for the own one', async () => {
  const server = await start();
  server.mapWindows(new Map([[6, 'deskside-popup']]));
  const desktop = await openX11Desktop(session(server));
  desktop?.keepOnTop({ ...USE, takesKeyboard: true });
  server.mapWindows(
    new Map([
      [6, 'deskside-popup'],
      [8, 'deskside-popup'],
    ]),
  );
  await expect.poll(() => server.messages.map(([, window]) => window)).toStrictEqual([8, 8, 8]);
});

test('the keyboard goes back to the window that had it, again if the browser takes it before the page is painted', async () => {
  const server = await start();
  server.activate(7);
  const desktop = await openX11Desktop(session(server));
  const painted = Promise.withResolvers<void>();
  desktop?.keepOnTop({ ...USE, takesKeyboard: false, painted: painted.promise });
  server.mapWindows(new Map([[8, 'deskside-popup']]));
  const activations = () => server.messages.filter(([type]) => type === '_NET_ACTIVE_WINDOW');
  await expect.poll(activations).toStrictEqual([['_NET_ACTIVE_WINDOW', 7, 2, 0, 0, 0, 0]]);
  server.activate(8);
  painted.resolve();
  await expect.poll(() => activations().map(([, window]) => window)).toStrictEqual([7, 7]);
  await expect.poll(() => server.clients()).toBe(0);
});

test('requests resolve with undefined after an error and after the connection ends', async () => {
  const server = await start();
  using x11 = await connectX11(session(server));
  expect([x11?.isOpen, x11?.root]).toStrictEqual([true, ROOT]);
  const readMissingWindow = Buffer.alloc(20, 9);
  expect(await x11?.request(20, 0, readMissingWindow)).toBeUndefined();
  const unanswered = x11?.request(1, 0, Buffer.alloc(4));
  await server[Symbol.asyncDispose]();
  expect(await unanswered).toBeUndefined();
  expect(await x11?.request(1, 0, Buffer.alloc(4))).toBeUndefined();
});

test.each([
  ['another window', 7],
  ['no window', undefined],
])(
  'news that came while %s had the keyboard leaves it with the one that the person went to',
  async (_, before) => {
    const server = await start();
    if (before !== undefined) server.activate(before);
    const desktop = await openX11Desktop(session(server));
    server.activate(9);
    desktop?.keepOnTop({ ...USE, takesKeyboard: false });
    server.mapWindows(new Map([[8, 'deskside-popup']]));
    const activated = () =>
      server.messages.filter(([type]) => type === '_NET_ACTIVE_WINDOW').map(([, window]) => window);
    await expect.poll(activated).toStrictEqual([9]);
  },
);
