import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { firstText, randomOf, SEED } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Desktop, missingPackages, needs, openDesktop, waitFor } from './testing/desktop.ts';
import { connectPopup, DESK } from './testing/session.ts';
import { sharedServer } from './testing/shared-server.ts';

// Runs alone: the person keeps pace with a clock.

/** Each way to the window takes a third of ten minutes. DESKSIDE_SECONDS is for a shorter look. */
const SECONDS = Number(process.env['DESKSIDE_SECONDS'] ?? 200);
/** A person sees a window for so long before typing. */
const GLANCE_MS = 800;
/** Who begins to type after a pause, just when a window opens, sees that text in its box. */
const PAUSE_MS = 1500;
/** The window of an answer has changed by then, or the person answers again. */
const ANSWER_MS = 4000;
/** Time to become the next question of the same window. */
const WAITING_MS = 2000;

type Ask = (args: Record<string, unknown>) => Promise<string>;

/** How four agents reach the person. `isOne`: one process shows the windows of all. */
const WAYS: readonly { readonly name: string; readonly isOne: boolean; readonly connect: Connect }[] = [
  { name: 'one server over HTTP', isOne: true, connect: overHttp },
  { name: 'a server each over stdio', isOne: false, connect: (env) => overStdio(env) },
  { name: 'the desk', isOne: true, connect: (env) => overStdio(env, DESK) },
];

type Connect = (env: Desktop['env']) => Promise<readonly Ask[]>;

async function overHttp(env: Desktop['env']): Promise<readonly Ask[]> {
  const { server, connect } = await sharedServer(env);
  const agents = await Promise.all(Array.from({ length: 4 }, connect));
  onTestFinished(async () => {
    await Promise.all([...agents, server].map((each) => each[Symbol.asyncDispose]()));
  });
  return agents.map((agent) => async (args) => firstText(await agent.callTool('notify', args)));
}

async function overStdio(env: Desktop['env'], program?: typeof DESK): Promise<readonly Ask[]> {
  const flags = program === undefined ? [] : ['--attach-timeout', '60'];
  const agents = await Promise.all(
    ['Claude Code', 'Codex', 'Cursor', 'Zed'].map((name) => connectPopup(env, flags, name, program)),
  );
  onTestFinished(async () => {
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
  });
  return agents.map((agent) => (args) => agent.notify(args, { timeout: 600_000 }));
}

/** A question, as its agent and the person know it. */
interface Question {
  readonly askedMs: number;
  readonly options: readonly string[];
  readonly timeout: number | undefined;
  /** What the person did last for it. */
  sent?: string;
  sentMs?: number;
  window?: string;
  outcome?: string;
}

describe.skipIf(missingPackages.length > 0)(`four agents and a hurried person${needs}`, () => {
  test.each(WAYS)(
    '$name: nothing is lost, doubled or sent unmeant',
    async ({ isOne, connect }) => {
      const home = mkdtempSync(join(tmpdir(), 'popup-'));
      onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
      await using desktop = await openDesktop(home);
      const elsewhere = spawn('xev', ['-event', 'keyboard'], { env: desktop.env, stdio: 'ignore' });
      onTestFinished(() => void elsewhere.kill('SIGKILL'));
      await waitFor(() => desktop.activeTitle() === 'Event Tester', 'another window has the keyboard');
      const agents = await connect(desktop.env);
      const random = randomOf(SEED);
      const startMs = performance.now();
      const isOver = () => performance.now() - startMs > SECONDS * 1000;
      const worked = new AbortController();
      const questions = new Map<string, Question>();
      const news: string[] = [];
      /** Windows that were on the screen at the same time. */
      const atOnce: string[] = [];

      /** Works for some seconds, tells or asks, and goes on. */
      async function work(ask: Ask, agent: number): Promise<void> {
        for (let number = 1; !isOver(); number += 1) {
          await delay(random(9000));
          const title = `q${agent}-${number}`;
          if (random(5) === 0) {
            news.push(
              await ask({ message: `Done with ${number}.`, title: 'news', wait_for_response: false }),
            );
            continue;
          }
          const options = random(3) === 0 ? ['yes', 'no', 'later today'] : [];
          const timeout = random(4) === 0 ? 5 + random(20) : undefined;
          const question: Question = { askedMs: performance.now(), options, timeout };
          questions.set(title, question);
          const more = {
            ...(options.length === 0 ? {} : { options }),
            ...(timeout === undefined ? {} : { timeout }),
          };
          const outcome = await ask({ message: `Step ${number}: what now?`, title, ...more });
          expect(question.outcome, title).toBeUndefined();
          question.outcome = outcome;
        }
      }

      /** Answers what is there, and types into another program meanwhile, also while a window opens. */
      async function live(): Promise<void> {
        let typedMs = -Infinity;
        let begunMs = -Infinity;
        // An agent may ask its last question after the time is over.
        while (!worked.signal.aborted) {
          const lines = desktop.windowLines().filter((line) => line.includes('deskside-popup'));
          // A second look tells a window that ends from one that stays.
          if (lines.length > 1)
            atOnce.push(`${lines.join(' and ')}; then ${desktop.windowLines().join(' and ')}`);
          const popup = desktop.popup();
          const title = popup?.title ?? '';
          const question = questions.get(title);
          const isReady = question?.outcome === undefined && isPainted(home);
          if (popup === undefined || question === undefined || !isReady) {
            if (performance.now() - typedMs > PAUSE_MS) begunMs = performance.now();
            desktop.type('stray ');
            typedMs = performance.now();
            await delay(random(300));
            continue;
          }
          const seesText = typedMs - begunMs < PAUSE_MS || question.window !== undefined;
          question.window = popup.id;
          await delay(GLANCE_MS + random(400));
          await answer(title, question, seesText);
        }
      }

      const isOn = (title: string) => desktop.popup()?.title === title;

      /** Leaves the keys alone when the window changes. */
      async function answer(title: string, question: Question, seesText: boolean): Promise<void> {
        const kind = random(10);
        const digit = question.options.length > 0 && kind < 6 ? 1 + random(3) : undefined;
        const text = digit === undefined ? `answer to ${title}, ${random(1000)}` : `${digit}`;
        if (!isOn(title)) return;
        if (seesText) desktop.key('ctrl+a');
        if (kind > 0) desktop.type(text);
        if (!isOn(title)) return;
        const reply = `User response: ${digit === undefined ? text : question.options[digit - 1]}`;
        question.sent = kind === 0 ? 'User cancelled the popup' : reply;
        question.sentMs = performance.now();
        desktop.key(kind === 0 ? 'Escape' : 'Return');
        while (isOn(title) && performance.now() - question.sentMs < ANSWER_MS) await delay(50);
      }

      const working = Promise.all(agents.map((ask, agent) => work(ask, agent)));
      await Promise.all([working.finally(() => worked.abort()), live()]);
      const wrong = [...questions.values()].filter(({ sent, outcome, timeout }) => {
        const isTimeout = timeout !== undefined && outcome === `No response within ${timeout}s timeout`;
        return outcome !== sent && !isTimeout;
      });
      expect(questions.size).toBeGreaterThan(0);
      expect(wrong).toStrictEqual([]);
      expect(atOnce.join('\n')).toBe('');
      expect(new Set(news.map((text) => text.slice(0, 32)))).toStrictEqual(
        new Set(['✓ Message displayed successfully']),
      );
      if (isOne) expect(secondWindows([...questions.values()])).toStrictEqual([]);
      expect(draftsIn(home).filter((text) => !text.startsWith('answer to'))).toStrictEqual([]);
    },
    (SECONDS + 120) * 1000,
  );
});

/** Questions that waited while another one was answered, and yet got a window of their own. */
function secondWindows(questions: readonly Question[]): readonly Question[] {
  const shown = questions
    .filter(({ window, sentMs }) => window !== undefined && sentMs !== undefined)
    .toSorted((a, b) => (a.sentMs ?? 0) - (b.sentMs ?? 0));
  return shown.filter((question, index) => {
    const before = shown[index - 1];
    const waited = before?.sentMs !== undefined && question.askedMs < before.sentMs - WAITING_MS;
    const isAnswered = before?.outcome?.startsWith('User response') === true;
    return waited && isAnswered && question.window !== before.window;
  });
}

/** False while a window opens: the file that leads to the page is deleted when the page is painted. */
const isPainted = (home: string) =>
  globSync('.local/state/deskside/popup/popup-*.html', { cwd: home }).length === 0;

/** The texts that were typed and not sent. */
function draftsIn(home: string): readonly string[] {
  return globSync('**/popup-drafts/*.json', { cwd: home }).map((file) =>
    String(JSON.parse(readFileSync(join(home, file), 'utf8')).text),
  );
}
