import {
  connectInProcess,
  describeOptions,
  describeServer,
  firstText,
  fixedClock,
  temporaryFolder,
} from '@deskside/testkit';
import { noJournal } from '@deskside/desktop';
import { silentLog } from '@deskside/core';
import { readOptions } from '@deskside/core/program';
import { expect, onTestFinished, test, vi } from 'vitest';
import { uiToastProgram } from './commands/index.ts';
import { uiToastOptions } from './options.ts';
import { uiToastServer } from './server.ts';
import { openUiToast } from './ui-toast.ts';

describeOptions({ options: uiToastOptions, open: openUiToast, definition: uiToastServer });

describeServer({
  name: 'ui-toast',
  open: async () => {
    const toast = openUiToast();
    return { definition: uiToastServer(toast), [Symbol.asyncDispose]: () => toast[Symbol.asyncDispose]() };
  },
  toolsJson: '../tools.json',
  tokenBudget: 1540,
  samples: [
    {
      tool: 'show_notification',
      args: {
        message: 'Build failed - 3 tests failing',
        severity: 'error',
        duration: 0,
        actions: [{ label: 'View Logs', action: 'prompt', prompt: 'show me the build logs' }],
      },
      survives: [
        'Build failed - 3 tests failing',
        'show me the build logs',
        '"position":"top-right"',
        '"id":',
      ],
    },
  ],
});

test.each(['legacy', 'modern'] as const)(
  'show_notification declares its view, which is a resource, in the %s era',
  async (era) => {
    await using toast = openUiToast();
    await using peer = await connectInProcess(uiToastServer(toast), { era, over: 'http' });
    const [tool] = await peer.listTools();
    const uri = 'ui://deskside/toast.html';
    expect(tool?._meta).toMatchObject({ ui: { resourceUri: uri }, 'ui/resourceUri': uri });
    const { contents } = await peer.readResource(uri);
    expect(contents).toEqual([
      {
        uri,
        mimeType: 'text/html;profile=mcp-app',
        text: expect.stringMatching(/^<!doctype html>/),
        _meta: { ui: { prefersBorder: false } },
      },
    ]);
  },
);

test('show_notification limits the rate per caller, and does not count rejected calls', async () => {
  const clock = fixedClock('2026-11-21T12:00:00Z');
  await using toast = openUiToast({}, { clock });
  const definition = uiToastServer(toast);
  await using ann = await connectInProcess(definition, { era: 'modern', over: 'http', user: 'ann' });
  await using ben = await connectInProcess(definition, { era: 'legacy', over: 'stdio', user: 'ben' });
  const call = (peer: typeof ann, severity = 'info') =>
    peer.callTool('show_notification', { message: 'Again', severity });

  for (let n = 0; n < 20; n += 1) expect((await call(ann)).isError ?? false).toBe(false);
  for (let n = 0; n < 20; n += 1) expect((await call(ben, 'bogus')).isError).toBe(true);
  const rejected = await call(ann);
  expect(rejected.isError).toBe(true);
  expect(JSON.parse(firstText(rejected))).toEqual({
    error: 'Too many notifications',
    code: 'RATE_LIMITED',
    hint: 'Nothing was shown. Wait 1 s, or put several messages into one notification.',
  });
  expect((await call(ben)).isError ?? false).toBe(false);
  clock.advance(999);
  expect((await call(ann)).isError).toBe(true);
  clock.advance(1);
  expect((await call(ann)).isError ?? false).toBe(false);
  expect((await call(ann)).isError).toBe(true);
});

test('the program passes its options and the journal of the user on', async () => {
  vi.stubEnv('XDG_STATE_HOME', temporaryFolder());
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = readOptions(uiToastOptions, { flags: { toaster: true }, env: {} });
  await using toast = await uiToastProgram.open(options, { log: silentLog });
  expect(toast.hasToaster).toBe(true);
  expect(toast.journal).not.toBe(noJournal);
});
