import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from '@deskside/core/program';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPopup } from '../notify-popup.ts';
import type { PopupOptions } from '../options.ts';
import { inboxRequest, testSystem } from './samples.ts';

/** @returns the history files in this folder after a message */
async function written(folder: string, env: Record<string, string>, home: string, options?: PopupOptions) {
  const popup = openPopup(options, {
    system: testSystem({ env, home, uid: process.getuid?.() ?? -1 }),
  });
  // Without a display the client's form shows it.
  const outcome = await popup.inbox.ask(inboxRequest(), {
    session: undefined,
    signal: new AbortController().signal,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    form: { ask: async () => ({ kind: 'submitted', text: 'Blue' }) },
  });
  expect(outcome).toStrictEqual({ kind: 'submitted', text: 'Blue' });
  await popup[Symbol.asyncDispose]();
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
}

test('conversations are in the folder of VoiceMode, which VOICEMODE_BASE_DIR names, and --history-dir comes first', async () => {
  const home = temporaryFolder();
  const own = join(home, '.voicemode/logs/conversations');
  const named = join(home, 'elsewhere/logs/conversations');
  for (const folder of [own, named]) mkdirSync(folder, { recursive: true });
  const env = { VOICEMODE_BASE_DIR: join(home, 'elsewhere') };
  expect(await written(own, {}, home)).toStrictEqual([expect.stringMatching(/Which one\?.*\n.*Blue/)]);
  expect(await written(named, env, home)).toStrictEqual([expect.stringContaining('Which one?')]);
  expect(readdirSync(own)).toHaveLength(1);
  const chosen = join(home, 'chosen');
  expect(await written(chosen, env, home, { historyDir: chosen })).toHaveLength(1);
  expect(readFileSync(join(own, readdirSync(own)[0] ?? ''), 'utf8').split('\n')).toHaveLength(3);
});

test.each([true, false])(
  'unsent texts of more than a day, or of a wrong date, are deleted without a question, with the history %s',
  async (history) => {
    const home = temporaryFolder();
    vi.stubEnv('XDG_STATE_HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const folder = join(folders().state, 'popup-drafts');
    mkdirSync(folder, { recursive: true });
    const draft = { text: 'half a sentence', question: 'Which one?', caller: 'Example host', user: 'owner' };
    const dates = { old: new Date(0), future: new Date('9999-01-01T00:00:00Z'), new: new Date() };
    for (const [id, savedAt] of Object.entries(dates))
      writeFileSync(join(folder, `${id}.json`), JSON.stringify({ ...draft, id, savedAt }));
    const system = testSystem({ home, uid: process.getuid?.() ?? -1 });
    const popup = openPopup({ history }, { system });
    onTestFinished(() => popup[Symbol.asyncDispose]());
    await expect.poll(() => readdirSync(folder)).toStrictEqual(['new.json']);
  },
);
