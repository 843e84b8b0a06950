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

/** The phone of a desk, without the file of its token. */
async function openDesk() {
  const ntfy = await startNtfy({ token: 'tk_2' });
  const folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', folder);
  const popup = scriptedPopup();
  const inbox = new LateInbox();
  inbox.set(popup);
  const errors: string[] = [];
  const log = {
    ...silentLog,
    error: (message: string) => void errors.push(message),
  };
  const phone = new DeskPhone({ inbox, journal: memoryJournal(), env: {}, log });
  onTestFinished(async () => {
    await popup[Symbol.asyncDispose]();
    await phone[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
  });
  const table = { topic: 'my-desk', url: ntfy.url, token: '${file:token}', after_seconds: 0 };
  const writeToken = (text: string) => writeFileSync(join(folder, 'token'), text, { mode: 0o600 });
  const places = { folder, file: '', accepted: '', listings: '' };
  const use = () => phone.use({ config: { ...emptyConfig, phone: table }, places, notes: [], accepted: '' });
  await use();
  return {
    use,
    /** The questions on the phone; two at once come in any order. */
    published: () => ntfy.published.map(({ message }) => message).toSorted(),
    errors,
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

test('a question goes to the phone after apply, when the file of its token has come after the start', async () => {
  const { published, errors, ask, writeToken, use } = await openDesk();
  ask('First?');
  expect(errors).toStrictEqual(['no question goes to the phone']);
  writeToken('tk_2');
  await use();
  await expect.poll(published).toStrictEqual(['First?']);
  // A phone that was opened again would send all of them again.
  await use();
  ask('Second?');
  await expect.poll(published).toStrictEqual(['First?', 'Second?']);
});
