import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { silentLog } from '@deskside/core';
import { systemClock } from '@deskside/core/base';
import { openJournal, Quiet } from '@deskside/desktop';
import { IS_PROOF, SEED } from '@deskside/testkit';
import { sample } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DesktopWindow, missingPackages, needs, waitFor } from './testing/desktop.ts';
import { type AnyPlace, edited, play, type Step, streams, UNDO_MS } from './testing/key-streams.ts';
import { connectPopup, openSession, type Session } from './testing/session.ts';

const COUNT = 30;

/** In the window of a question without history; negative numbers count from its right and bottom edges. */
const PLACES: Readonly<Record<AnyPlace, readonly [number, number]>> = {
  send: [-50, -32],
  cancel: [-145, -32],
  later: [45, -32],
  undo: [250, -32],
  // The window grows downwards.
  quiet: [150, -34],
  box: [-40, -78],
  message: [60, 60],
  'reply 1': [50, -118],
  'reply 2': [130, -118],
};
/** xdotool's names. */
const KEYS: Readonly<Record<string, string>> = { ' ': 'space', Backspace: 'BackSpace', Enter: 'Return' };
/** What xev prints for a key. */
const KEYSYM = /KeyPress event[^]*?keysym 0x[\da-f]+, (\w+)/g;
const NAMES = new Map(Object.entries(KEYS).map(([name, keysym]) => [keysym, name]));

/** Runs alone: the pauses are short, and those within a burst shorter. */
const BURST_GAP_MS = 40;
const NOTICING_MS = 600;
const PAUSE_S = 1;
const UNDO_S = 3.5;
const LONGEST_STREAM_S = 50;

describe.skipIf(missingPackages.length > 0 || !IS_PROOF)(
  `random streams of keys and clicks on a real screen${needs}`,
  () => {
    let session: Session;
    let terminal: ReturnType<typeof spawn>;
    let output = '';
    let terminalId = '';
    beforeAll(async () => {
      session = await openSession(['--no-history']);
      const { desktop } = session;
      terminal = spawn('xev', ['-event', 'keyboard'], {
        env: { ...desktop.env },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      terminal.stdout?.on('data', (chunk: Buffer) => void (output += chunk.toString('utf8')));
      await waitFor(() => desktop.activeTitle() === 'Event Tester', 'the terminal has the keyboard');
      terminalId = desktop.run('xdotool', 'getactivewindow').trim();
    });
    afterAll(async () => {
      terminal.kill('SIGKILL');
      await session[Symbol.asyncDispose]();
    });

    test(`${COUNT} random streams send only what the person meant, and lose no key (seed ${SEED})`, async () => {
      const { desktop } = session;
      for (const [index, stream] of sample(streams, { numRuns: COUNT }).entries()) {
        const { steps, expected } = play({ ...stream, isOtherWaiting: false, isTyping: false });
        const options = stream.options.length > 0 ? { options: stream.options } : {};
        // A new server has no unsent text, which would move the buttons.
        await using client = await connectPopup(desktop.env, ['--no-history']);
        const answer = client.notify({ message: 'Which one?', show_history: false, ...options });
        answer.catch(() => undefined);
        await client.logged('popup shown', 0);
        await desktop.popupHasKeyboard();
        await client.acceptsKeys(0);
        const popup = desktop.popup();
        if (popup === undefined) throw new Error('no popup');
        output = '';
        const since = client.now();
        // One command: between two the machine may be busy for longer than a pause.
        const all = commands([{ do: 'focus', window: 'terminal' }, ...steps], popup, terminalId);
        desktop.run('timeout', String(LONGEST_STREAM_S), 'xdotool', ...all);
        await expect
          .poll(() => textOf(output), { message: `what the terminal got in stream ${index}` })
          .toBe(expected.terminal);
        const { ending } = expected;
        if (ending.kind === 'submitted') {
          expect(await answer, `stream ${index}`).toBe(
            ending.text.trim() === '' ? 'User submitted empty response' : `User response: ${ending.text}`,
          );
        } else if (ending.kind === 'cancelled') {
          expect(await answer, `stream ${index}`).toBe('User cancelled the popup');
        } else if (ending.kind === 'quiet') {
          await client.logged('popup held', since);
          expect(desktop.popup(), `the window of stream ${index}`).toBeUndefined();
          await using journal = openJournal({
            places: { state: join(session.home, 'state/deskside'), runtime: [] },
            log: silentLog,
          });
          new Quiet(journal, systemClock).end();
        } else {
          const early = await Promise.race([answer, Promise.resolve('no answer yet')]);
          expect(early, `stream ${index}`).toBe('no answer yet');
          await waitFor(() => desktop.popup() !== undefined, `the window of stream ${index}`);
          await desktop.dismiss();
          expect(await answer, `stream ${index}`).toBe('User dismissed the popup');
        }
      }
    });
  },
);

/** What the keys that xev prints make in a terminal. */
function textOf(output: string): string {
  return [...output.matchAll(KEYSYM)]
    .map(([, keysym = '']) => NAMES.get(keysym) ?? keysym)
    .reduce((text, key) => (key === 'Enter' ? `${text}\n` : edited(text, key)), '');
}

/** A request at once after another one, or after a click, would be lost. */
const GAP = ['sleep', '0.1'];

/** The stream as commands of xdotool. */
function commands(steps: readonly Step[], popup: DesktopWindow, terminalId: string): string[] {
  return steps.flatMap((step) => {
    switch (step.do) {
      case 'wait': {
        const isUndo = step.ms === UNDO_MS;
        return ['sleep', String(isUndo ? UNDO_S : step.ms >= NOTICING_MS ? PAUSE_S : BURST_GAP_MS / 1000)];
      }
      case 'focus':
        return [...GAP, 'windowactivate', '--sync', step.window === 'popup' ? popup.id : terminalId, ...GAP];
      case 'key':
        return ['key', '--delay', '0', KEYS[step.key] ?? step.key];
      case 'press': {
        const [x, y] = PLACES[step.place];
        const left = popup.x + (x < 0 ? popup.width + x : x);
        const top = popup.y + (y < 0 ? popup.height + y : y);
        // Two clicks at once would select a word, which the next key replaces.
        const pause = step.place === 'box' ? ['sleep', '0.6'] : [];
        return [...pause, 'mousemove', String(left), String(top), 'click', '1'];
      }
    }
  });
}
