import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '@deskside/core/testing';
import { randomOf, SEED } from '@deskside/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { missingPackages, needs, openDesktop, waitFor } from './testing/desktop.ts';
import { connectPopup, DESK, draftsIn, isPainted, type PopupClient } from './testing/session.ts';

// Runs alone: the person keeps pace with a clock.

/** Each way to the window takes half of ten minutes. DESKSIDE_SECONDS is for a shorter look. */
const SECONDS = Number(process.env['DESKSIDE_SECONDS'] ?? 300);
/** A person sees a window for so long before typing. */
const GLANCE_MS = 800;
/** Who begins to type after a pause, just when a window opens, sees that text in its box. */
const PAUSE_MS = 1500;
/** The window of an answer has changed by then, or the person answers again. */
const ANSWER_MS = 4000;

/** A question, as its agent and the person know it. */
interface Question {
  readonly options: readonly string[];
  readonly timeout: number | undefined;
  /** The person has seen it. */
  isKnown?: boolean;
  /** What the person did last for it. */
  sent?: string;
  outcome?: string;
}

describe.skipIf(missingPackages.length > 0)(`four agents and a hurried person${needs}`, () => {
  test.each([
    ['a server each', undefined],
    ['the desk', DESK],
  ])(
    '%s: nothing is lost, doubled or sent unmeant',
    async (_, program) => {
      using folder = temporaryFolder();
      const { path: home } = folder;
      await using desktop = await openDesktop(home);
      const elsewhere = spawn('xev', ['-event', 'keyboard'], { env: desktop.env, stdio: 'ignore' });
      onTestFinished(() => void elsewhere.kill('SIGKILL'));
      await waitFor(() => desktop.activeTitle() === 'Event Tester', 'another window has the keyboard');
      const flags = program === undefined ? [] : ['--attach-timeout', '60'];
      const agents = await Promise.all(
        ['Claude Code', 'Codex', 'Cursor', 'Zed'].map((name) =>
          connectPopup(desktop.env, flags, name, program),
        ),
      );
      onTestFinished(async () => {
        await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
      });
      const random = randomOf(SEED);
      const startMs = performance.now();
      const isOver = () => performance.now() - startMs > SECONDS * 1000;
      const worked = new AbortController();
      const questions = new Map<string, Question>();
      /** Windows that were on the screen at the same time. */
      const atOnce: string[] = [];

      /** Works for some seconds, tells or asks, and goes on. */
      async function work({ notify }: PopupClient, agent: number): Promise<void> {
        const ask = (args: Record<string, unknown>) => notify(args, { timeout: 600_000 });
        for (let number = 1; !isOver(); number += 1) {
          await delay(random(9000));
          const title = `q${agent}-${number}`;
          if (random(5) === 0) {
            const told = await ask({ message: `Done with ${number}.`, title, wait_for_response: false });
            expect(told).toMatch(/^✓ Message displayed successfully/);
            continue;
          }
          const options = random(3) === 0 ? ['yes', 'no', 'later today'] : [];
          const timeout = random(4) === 0 ? 5 + random(20) : undefined;
          const question: Question = { options, timeout };
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
          const title = desktop.popup()?.title ?? '';
          const question = questions.get(title);
          if (question === undefined || question.outcome !== undefined || !isPainted(home)) {
            if (performance.now() - typedMs > PAUSE_MS) begunMs = performance.now();
            desktop.type('stray ');
            typedMs = performance.now();
            await delay(random(300));
            continue;
          }
          const seesText = typedMs - begunMs < PAUSE_MS || question.isKnown === true;
          question.isKnown = true;
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
        const sentMs = performance.now();
        desktop.key(kind === 0 ? 'Escape' : 'Return');
        while (isOn(title) && performance.now() - sentMs < ANSWER_MS) await delay(50);
      }

      const working = Promise.all(agents.map((client, index) => work(client, index)));
      await Promise.all([working.finally(() => worked.abort()), live()]);
      const wrong = [...questions.values()].filter(({ sent, outcome, timeout }) => {
        const isTimeout = timeout !== undefined && outcome === `No response within ${timeout}s timeout`;
        return outcome !== sent && !isTimeout;
      });
      expect(questions.size).toBeGreaterThan(0);
      expect(wrong).toStrictEqual([]);
      expect(atOnce.join('\n')).toBe('');
      expect(draftsIn(home).filter((text) => !text.startsWith('answer to'))).toStrictEqual([]);
    },
    (SECONDS + 120) * 1000,
  );
});
