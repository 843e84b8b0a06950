import { connectInProcess, LEGS, type Peer } from '@deskside/testkit';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { popupServer } from '../server.ts';
import { scriptedPopup } from '../testing/scripted-popup.ts';

interface Progress {
  readonly progress: number;
  readonly message?: string | undefined;
}

function callWithProgress({ client }: Peer, onprogress: (progress: Progress) => void, signal: AbortSignal) {
  const request = { name: 'notify', arguments: { message: 'Well?', timeout: 300 } };
  return client instanceof ModernClient
    ? client.callTool(request, { onprogress, signal })
    : client.callTool(request, undefined, { onprogress, signal });
}

test.each(LEGS)('a person who thinks keeps the call alive, in the $era era over $over', async (leg) => {
  await using popup = scriptedPopup();
  await using peer = await connectInProcess(popupServer(popup), leg);
  const cancel = new AbortController();
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const heard: Progress[] = [];
  const call = callWithProgress(
    peer,
    (progress) => {
      if (heard.push(progress) === 3) resolve();
    },
    cancel.signal,
  );
  call.catch(() => undefined);
  await enough;
  expect(heard[0]?.message).toMatch(
    /^\d+ s waited for the person's answer, which is given 300 s on the screen$/,
  );
  cancel.abort();
  await expect(call).rejects.toThrow(/abort/i);
  // Nobody waits: the popup, in which nothing was typed, is closed.
  await expect.poll(() => popup.seen).toStrictEqual(['open Well?', 'close Well?']);
});
