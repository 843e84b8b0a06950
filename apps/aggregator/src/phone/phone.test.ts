import { memoryJournal } from '@deskside/desktop';
import { IS_PROOF, randomOf, SEED, temporaryFolder } from '@deskside/testkit';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { emptyConfig, readDeskFile } from '../config/desk-file.ts';
import { phoneSettings } from '../config/phone.ts';
import { MINUTE_MS, openPhone, openScene } from '../testing/open-phone.ts';
import { deskPhone } from './desk-phone.ts';

const RACES = IS_PROOF ? 1000 : 40;
const random = randomOf(SEED);

/** Lets the event loop turn so many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

describe('a question that waits', () => {
  test('is on the phone after a minute, and a button answers it once', async () => {
    const { arrived, ntfy, clock, popup, ask, waitForMessages, warnings } = await openPhone();
    const outcome = ask();
    await clock.advanceAsync(MINUTE_MS - 1);
    await arrived();
    expect(ntfy.published).toStrictEqual([]);
    await waitForMessages(1);
    const [message] = ntfy.published;
    expect(message).toMatchObject({
      topic: 'my-desk',
      title: 'claude · web-shop',
      message: 'Routes\nWhich route?',
      actions: [{ label: '/a' }, { label: '/b' }, { label: '/c' }],
    });
    const values = message?.actions?.map(({ body }) => body) ?? [];
    expect(new Set(values)).toHaveLength(3);
    expect(values.join()).toMatch(/^[\w-]{32},[\w-]{32},[\w-]{32}$/);
    expect(JSON.stringify(message)).not.toContain('tk_desk');
    await expect.poll(() => ntfy.listeners).toHaveLength(1);
    expect(await ntfy.press('/b')).toBe(200);
    expect(await outcome).toStrictEqual({ kind: 'submitted', text: '/b' });
    await expect.poll(() => popup.windows).toHaveLength(0);
    // The message says what has happened, and no one listens for answers anymore.
    await expect
      .poll(() => ntfy.published.at(-1))
      .toMatchObject({
        sequence_id: message?.sequence_id,
        message: 'You answered: /b',
        priority: 1,
      });
    expect(ntfy.published.at(-1)).not.toHaveProperty('actions');
    await expect.poll(() => ntfy.listeners).toHaveLength(0);
    expect(warnings).toStrictEqual([]);
  });

  test('takes no value a second time, of another question, or that was not offered, however much of it comes', async () => {
    const { ntfy, ask, waitForButtons, warnings } = await openPhone();
    const [first, second] = [ask(), ask({ message: 'And now?', options: ['yes'] })];
    await waitForButtons(2);
    const [topic = ''] = ntfy.listeners;
    const post = (body: string) => fetch(`${ntfy.url}/${topic}`, { method: 'POST', body });
    await Promise.all(Array.from({ length: 300 }, (_, index) => post(`/a ${index}`)));
    for (let time = 0; time < 2; time += 1) expect(await ntfy.press('/a')).toBe(200);
    expect(await first).toMatchObject({ text: '/a' });
    await post('yes');
    expect(await Promise.race([second, Promise.resolve('open')])).toBe('open');
    await ntfy.press('yes');
    expect(await second).toMatchObject({ text: 'yes' });
    expect(warnings).toStrictEqual([]);
  });

  test.each([
    ['', '2026-11-24T10:00:00Z'],
    [', also if its clock is ahead', '2100-01-01T10:00:00Z'],
  ])('can be answered while the connection of the desk is broken%s', async (_, at) => {
    const { ntfy, clock, ask, waitForButtons } = await openPhone({}, at);
    const outcome = ask();
    await waitForButtons();
    ntfy.breakStreams();
    await expect.poll(() => ntfy.listeners).toHaveLength(0);
    await ntfy.press('/c');
    await expect
      .poll(async () => {
        await clock.advanceAsync(5000);
        return Promise.race([outcome, Promise.resolve()]);
      })
      .toMatchObject({ text: '/c' });
  });

  test('gets no answer again that came to an earlier one', async () => {
    const { ntfy, ask, waitForButtons, warnings } = await openPhone();
    for (const [index, label] of ['/a', '/b'].entries()) {
      const outcome = ask();
      await waitForButtons(2 * index + 1);
      await ntfy.press(label);
      expect(await outcome).toMatchObject({ text: label });
      await expect.poll(() => ntfy.listeners).toHaveLength(0);
      await expect.poll(() => ntfy.published).toHaveLength(2 * index + 2);
    }
    // Too late, and the desk does not listen.
    await ntfy.press('/a');
    const outcome = ask();
    await waitForButtons(5);
    await ntfy.press('/b');
    expect(await outcome).toMatchObject({ text: '/b' });
    expect(warnings).toStrictEqual([]);
  });

  test('says on the phone that no one waits for its answer', async () => {
    const { ntfy, ask, waitForMessages } = await openPhone();
    const stop = new AbortController();
    void ask({}, { signal: stop.signal });
    await waitForMessages(1);
    stop.abort();
    await expect
      .poll(() => ntfy.published.at(-1)?.message)
      .toBe('The agent does not wait for an answer anymore.');
  });

  test('has no buttons if a reply is not a whole answer, and hostile texts are escaped and cut', async () => {
    const { ntfy, ask, waitForMessages } = await openPhone();
    void ask({ questions: [{ question: 'One?' }, { question: 'Two?' }] });
    void ask({ multiple: true });
    void ask({ message: `a\u202Eb${'👍'.repeat(5000)}`, options: ['x'.repeat(500)] });
    void ask({ kind: 'news', message: 'Done' });
    await waitForMessages(3);
    expect(ntfy.published.map(({ actions }) => actions?.length)).toStrictEqual([undefined, undefined, 1]);
    expect(ntfy.published[2]?.message).toMatch(/^Routes\na\\u\{202e\}b👍+…$/u);
    expect(ntfy.published[2]?.actions?.[0]?.label).toHaveLength(60);
  });

  test.each([true, false])('comes after "Not now", also if that is ended early: %s', async (endsEarly) => {
    const { arrived, ntfy, clock, quiet, ask, waitForMessages } = await openPhone();
    quiet.begin('15m');
    void ask();
    await clock.advanceAsync((endsEarly ? 2 : 14) * MINUTE_MS);
    await arrived();
    expect(ntfy.published).toStrictEqual([]);
    if (endsEarly) quiet.end();
    await clock.advanceAsync(endsEarly ? 5000 : 0);
    await waitForMessages(1);
  });

  test('says nothing of itself at a public server without a token', async () => {
    const { ntfy, popup, ask, waitForMessages } = await openPhone({ hasTexts: false });
    void ask();
    await waitForMessages(1);
    popup.windows[0]?.end({ kind: 'submitted', text: 'x' });
    await expect.poll(() => ntfy.published).toHaveLength(2);
    expect(ntfy.published).toMatchObject([
      { title: 'Deskside', message: 'A question waits at the desk.' },
      { title: 'Deskside', message: 'It was answered in the window.' },
    ]);
    expect(JSON.stringify(ntfy.published)).not.toMatch(/route|claude|actions/i);
  });

  test('is sent again after 1, 2, 4, 8, 15 and 15 minutes, until the desk ends', async () => {
    const { arrived, ntfy, clock, phone, ask, warnings } = await openPhone();
    const minutes: number[] = [];
    const start = clock.now().getTime();
    const unreached = () => warnings.filter((each) => each === 'the phone was not reached');
    ntfy.refuse(({ method }) => {
      if (method !== 'POST') return undefined;
      minutes.push((clock.now().getTime() - start) / MINUTE_MS);
      return 503;
    });
    void ask();
    const pass = async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        await clock.advanceAsync(MINUTE_MS);
        await arrived();
        await expect.poll(unreached).toHaveLength(minutes.length);
      }
    };
    await pass(46);
    expect(minutes).toStrictEqual([1, 2, 4, 8, 16, 31, 46]);
    await phone[Symbol.asyncDispose]();
    await pass(20);
    expect(minutes).toHaveLength(7);
  });

  test('that the phone never showed is not said to have ended', async () => {
    const { arrived, ntfy, clock, popup, ask, warnings } = await openPhone();
    ntfy.refuse(({ method }) => (method === 'POST' ? 503 : undefined));
    for (let count = 0; count < 20; count += 1) void ask({ message: `${count}` });
    await clock.advanceAsync(MINUTE_MS);
    await expect.poll(() => warnings).toHaveLength(20);
    ntfy.refuse(() => undefined);
    popup.windows[0]?.end({ kind: 'submitted', text: 'x' });
    await arrived();
    await turns(20);
    expect(ntfy.published).toStrictEqual([]);
    await clock.advanceAsync(MINUTE_MS);
    await expect.poll(() => ntfy.published).toHaveLength(19);
  });

  test.each([
    [401, 2, 3],
    [502, 10, 14],
  ])(
    'at a server that answers %i to the desk, %i to %i times in 10 minutes, gives one warning',
    async (status, least, most) => {
      const { arrived, ntfy, clock, ask, waitForMessages, reasons } = await openPhone();
      let attempts = 0;
      ntfy.refuse(({ url = '' }) => {
        if (!url.includes('/json')) return undefined;
        attempts += 1;
        return status;
      });
      void ask();
      await waitForMessages(1);
      for (let second = 0; second < 600; second += 5) {
        await clock.advanceAsync(5000);
        await arrived();
        await turns(5);
      }
      expect(attempts).toBeGreaterThanOrEqual(least);
      expect(attempts).toBeLessThanOrEqual(most);
      expect(reasons).toStrictEqual([`the ntfy server answers ${status}`]);
    },
  );

  test('says in the log why the server was not reached', async () => {
    const { clock, ask, reasons } = await openPhone({ url: 'http://127.0.0.1:9', hasTexts: false });
    void ask();
    await clock.advanceAsync(MINUTE_MS);
    await expect.poll(() => reasons).toStrictEqual([expect.stringMatching(/ECONNREFUSED|bad port/)]);
  });
});

test('an approval can only be denied', async () => {
  const { ntfy, ask, waitForMessages } = await openPhone({ replyToken: 'tk_reply' });
  const others = [{ id: 'b', arguments: [], calls: 1 }];
  const approval = { id: 'a', arguments: [], calls: 1, others, more: ['always'] as const, isExact: false };
  const outcome = ask({ kind: 'approval', message: 'Run shop › pay?', approval });
  await waitForMessages(1);
  expect(ntfy.published[0]?.message).toBe('Routes\nRun shop › pay?\n2 calls wait. Deny denies all of them.');
  expect(ntfy.published[0]?.actions).toMatchObject([
    { label: 'Deny', headers: { Authorization: 'Bearer tk_reply' } },
  ]);
  await expect.poll(() => ntfy.listeners).toHaveLength(1);
  await ntfy.press('Deny');
  expect(await outcome).toStrictEqual({ kind: 'denied', text: '', ids: ['a', 'b'] });
});

test(`${RACES} races of window, page, form and phone have exactly one answer each, and every surface closes`, async () => {
  const { ntfy, clock, popup, ask } = await openPhone();
  const winners = new Set<string>();
  for (let round = 0; round < RACES; round += 1) {
    const form = Promise.withResolvers<{ readonly kind: 'submitted'; readonly text: string }>();
    const before = ntfy.published.length;
    let id = '';
    let withdrawn: AbortSignal | undefined;
    /** What the page and the phone are sent. */
    const ends: unknown[] = [];
    const stop = popup.inbox.subscribe((change) => {
      if (change.kind === 'open') id = change.item.id;
      else ends.push(change.via);
    });
    const askForm = (signal: AbortSignal) => {
      withdrawn = signal;
      return form.promise;
    };
    const outcome = ask(
      { options: ['phone'] },
      { isInteractive: true, form: { afterMs: MINUTE_MS, ask: askForm } },
    );
    await clock.advanceAsync(MINUTE_MS);
    await expect.poll(() => ntfy.published).toHaveLength(before + 1);
    await expect.poll(() => ntfy.listeners).toHaveLength(1);
    const [window] = popup.windows;
    const moves: readonly (() => Promise<unknown>)[] = [
      async () => window?.end({ kind: 'submitted', text: 'window' }),
      async () => popup.inbox.answer(id, { kind: 'submitted', text: 'page' }, 'page'),
      async () => form.resolve({ kind: 'submitted', text: 'form' }),
      () => ntfy.press('phone'),
    ];
    // Each is the first in some rounds for certain; the rest is a race.
    await moves[round % 8]?.();
    await turns(round % 8 < moves.length ? 40 : 0);
    await Promise.all(
      moves.map(async (move) => {
        await turns(random(60));
        await move();
      }),
    );
    const { text } = (await outcome) as { readonly text: string };
    expect(['window', 'page', 'form', 'phone']).toContain(text);
    winners.add(text);
    expect(ends).toStrictEqual([text]);
    expect(withdrawn?.aborted).toBe(text !== 'form');
    await expect.poll(() => popup.windows).toHaveLength(0);
    await expect.poll(() => ntfy.published).toHaveLength(before + 2);
    expect(ntfy.published.at(-1)?.message).toBe(
      {
        window: 'It was answered in the window.',
        page: 'It was answered on the page.',
        form: 'It was answered in the program of the agent.',
        phone: 'You answered: phone',
      }[text],
    );
    stop();
  }
  expect([...winners].toSorted()).toStrictEqual(['form', 'page', 'phone', 'window']);
});

test('a question goes to the phone after apply, when the file of its token has come after the start', async () => {
  const { ntfy, inbox, log, warnings, ask } = await openScene();
  const folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const phone = deskPhone({ inbox, journal: memoryJournal(), env: {}, log });
  onTestFinished(() => phone.close());
  const table = { topic: 'my-desk', url: ntfy.url, token: '${file:token}', after_seconds: 0 };
  const places = { folder, file: '', accepted: '', listings: '' };
  const use = () => phone.use({ config: { ...emptyConfig, phone: table }, places, notes: [], accepted: '' });
  await use();
  void ask({ message: 'First?' });
  expect(warnings).toStrictEqual(['no question goes to the phone']);
  writeFileSync(join(folder, 'token'), 'tk_desk', { mode: 0o600 });
  await use();
  /** The questions on the phone; two at once come in any order. */
  const published = () => ntfy.published.map(({ message }) => message?.replace(/^.*\n/, '') ?? '').toSorted();
  await expect.poll(published).toStrictEqual(['First?']);
  // A phone that was opened again would send all of them again.
  await use();
  void ask({ message: 'Second?' });
  await expect.poll(published).toStrictEqual(['First?', 'Second?']);
});

const read = (toml: string) => readDeskFile(`[phone]\n${toml}`);

describe('[phone]', () => {
  test('references are looked up, and texts leave only to an own server or with a token', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'topic'), 'desk-1\n', { mode: 0o600 });
    const sources = { env: { TOKEN: 'tk_1' }, folder };
    const settingsOf = async (toml: string) => {
      const { config, problems } = read(toml);
      expect(problems).toStrictEqual([]);
      return config.phone && phoneSettings(config.phone, sources);
    };
    expect(await settingsOf('topic = "${file:topic}"')).toMatchObject({
      url: 'https://ntfy.sh',
      topic: 'desk-1',
      afterMs: 60_000,
      hasTexts: false,
    });
    expect(await settingsOf('topic = "a"\ntoken = "${env:TOKEN}"')).toMatchObject({
      token: 'tk_1',
      hasTexts: true,
    });
    expect(await settingsOf('topic = "a"\nurl = "http://10.0.0.2:8080/"\nafter_seconds = 5')).toMatchObject({
      url: 'http://10.0.0.2:8080',
      afterMs: 5000,
      hasTexts: true,
    });
    // Another spelling is no own server.
    for (const url of ['https://ntfy.sh.', 'https://NTFY.SH', 'https://ntfy.sh:443', 'https://ntfy.sh:8443'])
      expect(await settingsOf(`topic = "a"\nurl = "${url}"`)).toMatchObject({ hasTexts: false });
    for (const host of ['127.0.0.1:9', 'localhost', '[::1]:80', '[fd00::1]', 'desk', 'ntfy.lan'])
      expect(await settingsOf(`topic = "a"\nurl = "http://${host}"`)).toMatchObject({ hasTexts: true });
    await expect(settingsOf('topic = "${env:NONE}"')).rejects.toThrow('The variable NONE is not set');
  });

  test.each([
    ['topic = "a b"', 'phone.topic: use 1 to 64 letters, digits, "_" and "-".'],
    ['topic = "a"\nurl = "https://u:p@a.example"', 'phone.url: use the address of an ntfy server'],
    ['topic = "a"\nurl = "http://a.example"', 'phone.url: use an https:// URL: http:// is only for'],
    ['topic = "a"\nafter_seconds = 0', 'phone.after_seconds: use a number of seconds from 1 to 3600.'],
  ])('%s is rejected', (toml, message) => {
    const { config, problems } = read(toml);
    expect(config.phone).toBeUndefined();
    expect(problems[0]?.message).toContain(message);
  });
});
