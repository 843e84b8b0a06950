import { silentLog } from '@deskside/core';
import { memoryJournal } from '@deskside/desktop';
import { scriptedPopup } from '@deskside/notify-popup/testing/scripted-popup';
import { temporaryFolder } from '@deskside/testkit';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { emptyConfig } from '../config/desk-file.ts';
import { LateInbox } from '@deskside/page';
import { startNtfy } from '@deskside/page/testing/ntfy-server';
import { DeskPhone } from './desk-phone.ts';

/** The phone of a desk. @param token in its file at the start */
async function openDesk(token?: string) {
  const ntfy = await startNtfy({ token: 'tk_2' });
  const folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', folder);
  const popup = scriptedPopup();
  const inbox = new LateInbox();
  inbox.set(popup);
  const errors: string[] = [];
  const warnings: string[] = [];
  const log = {
    ...silentLog,
    error: (message: string) => void errors.push(message),
    warn: (message: string) => void warnings.push(message),
  };
  const phone = new DeskPhone({ inbox, journal: memoryJournal(), env: {}, log });
  onTestFinished(async () => {
    await popup[Symbol.asyncDispose]();
    await phone[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
  });
  const table = { topic: 'my-desk', url: ntfy.url, token: '${file:token}', after_seconds: 0 };
  const writeToken = (text: string) => writeFileSync(join(folder, 'token'), text, { mode: 0o600 });
  if (token !== undefined) writeToken(token);
  const places = { folder, file: '', accepted: '', listings: '' };
  await phone.use({ config: { ...emptyConfig, phone: table }, places, notes: [], accepted: '' });
  return {
    /** The questions on the phone; two at once come in any order. */
    published: () => ntfy.published.map(({ message }) => message).toSorted(),
    errors,
    warnings,
    writeToken,
    ask: (message: string) =>
      void popup.inbox.ask(
        {
          kind: 'question',
          message,
          title: '',
          theme: 'auto',
          showsHistory: false,
          chimes: false,
          caller: 'claude',
        },
        { session: undefined, signal: new AbortController().signal, log: silentLog },
      ),
  };
}

test('a question goes to the phone when the file of its token has come after the start', async () => {
  const { published, errors, ask, writeToken } = await openDesk();
  ask('First?');
  await expect.poll(() => errors).toStrictEqual(['no question goes to the phone']);
  writeToken('tk_2');
  ask('Second?');
  await expect.poll(published).toStrictEqual(['First?', 'Second?']);
  expect(errors).toHaveLength(1);
});

test('a question goes to the phone with the new token after its file has changed', async () => {
  const { published, warnings, ask, writeToken } = await openDesk('tk_1');
  ask('First?');
  await expect.poll(() => warnings).toStrictEqual(['the phone was not reached']);
  writeToken('tk_2');
  ask('Second?');
  await expect.poll(published).toStrictEqual(['First?', 'Second?']);
});

test('a file of a token that cannot be read for a moment leaves the phone as it is', async () => {
  const { published, errors, ask, writeToken } = await openDesk('tk_2');
  ask('First?');
  await expect.poll(published).toHaveLength(1);
  writeToken('');
  ask('Second?');
  await expect.poll(published).toStrictEqual(['First?', 'Second?']);
  await expect.poll(() => errors).toStrictEqual(['the phone goes on with its earlier settings']);
  writeToken('tk_2');
  ask('Third?');
  // A phone that was opened again would send all of them again.
  await expect.poll(published).toStrictEqual(['First?', 'Second?', 'Third?']);
});
