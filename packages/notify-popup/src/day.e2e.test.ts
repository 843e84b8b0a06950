import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Desktop, missingPackages, needs, openDesktop, waitFor } from './testing/desktop.ts';
import { connectPopup, DESK, type PopupClient } from './testing/session.ts';

const [program = ''] = DESK.args;
const DATABASE = { question: 'Which database?', options: ['PostgreSQL', 'SQLite'] };

/** Asks, and the title of the window is the first word. */
const ask = (client: PopupClient, message: string, args: object = {}, signal?: AbortSignal) => {
  const [title = ''] = message.split(' ');
  const answer = client.notify({ message, title, ...args }, signal === undefined ? {} : { signal });
  answer.catch(() => undefined);
  return answer;
};

const takesKeys = (log: string) =>
  log.lastIndexOf('popup accepts keys') >
  Math.max(0, log.lastIndexOf('popup ignores keys'), log.lastIndexOf('popup shown'));

const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** What the person and the agents did, in the order of the questions. */
interface Event {
  readonly text: string;
  readonly caller: string;
  readonly project: string;
  readonly folder: string;
  readonly kind: 'question' | 'news';
  readonly outcome: string;
  readonly via?: string;
  readonly reply?: string;
  readonly isSeen?: boolean;
}

describe.skipIf(missingPackages.length > 0 || !process.env['DESKSIDE_PROOF'])(
  `a day of four agents at one desk and of a popup of its own${needs}`,
  () => {
    let home: string;
    let desktop: Desktop;
    const clients: PopupClient[] = [];
    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'popup-'));
      desktop = await openDesktop(home);
    });
    afterAll(async () => {
      for (const client of clients) await client[Symbol.asyncDispose]();
      execFileSync(process.execPath, [program, 'stop'], { env: desktop.env });
      await desktop[Symbol.asyncDispose]();
      rmSync(home, { recursive: true, force: true });
    });

    async function connect(name: string, project: string, { isAlone = false } = {}): Promise<PopupClient> {
      const folder = join(home, project);
      mkdirSync(folder);
      const env = { ...desktop.env, CLAUDE_PROJECT_DIR: folder, DESKSIDE_LOG_LEVEL: 'debug' };
      const client = await (isAlone
        ? connectPopup(env, [], name)
        : connectPopup(env, ['--attach-timeout', '60'], name, DESK));
      clients.push(client);
      return client;
    }

    test('every question, answer, news and cancel is in the journal and in the history, with its agent and project', async () => {
      const claude = await connect('Claude Code', 'web-shop');
      const codex = await connect('Codex', 'infra');
      const cursor = await connect('Cursor', 'mobile');
      const gemini = await connect('Gemini', 'billing');
      const own = await connect('Zed', 'notes', { isAlone: true });
      const deskLog = join(home, 'state/deskside/desk.log');
      const logs = () => [existsSync(deskLog) ? readFileSync(deskLog, 'utf8') : '', own.log()] as const;
      let seen = logs().map(({ length }) => length);
      const news = () => logs().map((log, index) => log.slice(seen[index]));
      const mark = () => (seen = logs().map(({ length }) => length));

      /** Waits until the window of this question takes keys. */
      const onScreen = async (title: string) => {
        await waitFor(() => desktop.popup()?.title.split(' ')[0] === title, `the window ${title}`);
        await desktop.popupHasKeyboard();
        await waitFor(() => news().some(takesKeys), `${title} accepts keys`);
        mark();
      };
      const reply = async (title: string, ...lines: readonly string[]) => {
        await onScreen(title);
        for (const line of lines) {
          desktop.type(line);
          desktop.key('Return');
        }
      };

      const first = ask(claude, 'Deploy version 2?');
      await reply('Deploy', 'yes');
      expect(await first).toBe('User response: yes');

      const dropped = ask(codex, 'Drop the table?');
      await onScreen('Drop');
      desktop.key('Escape');
      expect(await dropped).toBe('User cancelled the popup');

      const icon = ask(cursor, 'Icon round or square?');
      await onScreen('Icon');
      const invoice = ask(gemini, 'Invoice in euros?');
      await waitFor(() => news().join('').includes('popup queue changed'), 'Gemini waits');
      // Later is the next control after the box.
      desktop.key('Tab', 'Return');
      await reply('Invoice', 'yes, euros');
      expect(await invoice).toBe('User response: yes, euros');
      await reply('Icon', 'round');
      expect(await icon).toBe('User response: round');

      await waitFor(() => news().join('').includes('popup closed'), 'the window of Icon is closed');
      mark();
      expect(await ask(claude, 'Tests are green.', { wait_for_response: false })).toMatch(/^✓/);
      await waitFor(() => desktop.popup()?.title.startsWith('Tests') === true, 'the news');
      await waitFor(() => news().join('').includes('popup shown'), 'the news is shown');
      await desktop.dismiss();
      await waitFor(() => news().join('').includes('popup closed'), 'the news is closed');
      mark();

      const note = ask(own, 'Note this?');
      await reply('Note', 'please do');
      expect(await note).toBe('User response: please do');

      const stop = new AbortController();
      void ask(codex, 'Unused bucket?', {}, stop.signal);
      await onScreen('Unused');
      stop.abort();
      await waitFor(() => desktop.popup() === undefined, 'the window of the cancelled call is closed');

      const branch = ask(cursor, 'Branch to use?');
      await onScreen('Branch');
      expect(await ask(gemini, 'Quick one?', { timeout: 5 })).toBe('No response within 5s timeout');
      const later = ask(cursor, 'Better question?');
      expect(await branch).toBe('User cancelled or dismissed the popup');
      await onScreen('Better');
      await desktop.dismiss();
      expect(await later).toBe('User dismissed the popup');

      const setup = ask(claude, 'Setup needs this:', { questions: [DATABASE, { question: 'Which port?' }] });
      await reply('Setup', '2', '5432');
      const quoted = '1. Which database?\n> SQLite\n2. Which port?\n> 5432';
      expect(await setup).toBe(`User response: ${quoted}`);

      const agent = (name: string, project: string) => ({
        caller: `${name} · ${project}`,
        project,
        folder: join(home, project),
      });
      const claudes = agent('Claude Code', 'web-shop');
      const codexes = agent('Codex', 'infra');
      const cursors = agent('Cursor', 'mobile');
      const geminis = agent('Gemini', 'billing');
      const question = { kind: 'question', isSeen: true } as const;
      const answered = { ...question, outcome: 'answered', via: 'window' } as const;
      const day: readonly Event[] = [
        { text: 'Deploy version 2?', ...claudes, ...answered, reply: 'yes' },
        { text: 'Drop the table?', ...codexes, ...question, outcome: 'cancelled', via: 'window' },
        { text: 'Icon round or square?', ...cursors, ...answered, reply: 'round' },
        { text: 'Invoice in euros?', ...geminis, ...answered, reply: 'yes, euros' },
        {
          text: 'Tests are green.',
          ...claudes,
          kind: 'news',
          outcome: 'closed',
          via: 'window',
          isSeen: true,
        },
        { text: 'Note this?', ...agent('Zed', 'notes'), ...answered, reply: 'please do' },
        { text: 'Unused bucket?', ...codexes, ...question, outcome: 'withdrawn' },
        { text: 'Branch to use?', ...cursors, ...question, outcome: 'replaced' },
        { text: 'Quick one?', ...geminis, kind: 'question', outcome: 'timed out', isSeen: false },
        { text: 'Better question?', ...cursors, ...question, outcome: 'dismissed', via: 'window' },
        {
          text: 'Setup needs this:\n\n1. Which database?\n2. Which port?',
          ...claudes,
          ...answered,
          reply: quoted,
        },
      ];
      expect(recorded()).toEqual(day);
    });

    /** The journal, with the texts of the history. */
    function recorded(): unknown[] {
      const log = execFileSync(process.execPath, [program, 'log', '--json', '--limit', '1000'], {
        env: desktop.env,
        encoding: 'utf8',
      });
      const texts = globSync('data/deskside/popup-history/*.jsonl', { cwd: home }).flatMap((file) =>
        lines(readFileSync(join(home, file), 'utf8')),
      );
      return lines(log)
        .filter(({ kind }) => kind === 'question' || kind === 'news')
        .toSorted((one, other) => String(one.asked).localeCompare(String(other.asked)))
        .map(({ id, kind, caller, project, outcome, via, seen: seenAt }) => {
          const own = texts.filter(({ metadata }) => metadata.item_id === id);
          const [asked, ...more] = own.filter(({ type }) => type === 'tts');
          const [reply, ...others] = own.filter(({ type }) => type === 'stt');
          expect([...more, ...others]).toStrictEqual([]);
          return {
            text: asked?.text,
            caller,
            project,
            kind,
            isSeen: seenAt !== undefined,
            outcome,
            via,
            reply: reply?.text,
            folder: asked?.project_path,
          };
        });
    }
  },
);
