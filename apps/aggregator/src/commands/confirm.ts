import { constants, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { platform } from 'node:os';
import { Readable } from 'node:stream';
import { ReadStream } from 'node:tty';
import type { CommandContext } from '@deskside/core/program';
import { errnoOf, StartError } from '@deskside/core/errors';
import { partLines } from '@deskside/gateway/servers';
import { flagField } from '../options.ts';
import type { PersonsSession } from '@deskside/notify-popup';
import { askInWindow, type Decision, type PersonQuestion, record } from './person.ts';

/** For commands that ask. */
export const yesFlag = {
  yes: flagField(
    'Do not ask. For scripts. What lets agents do more is asked all the same, if you can be asked.',
  ).meta({ short: 'y' }),
};

/** How a command asks. */
export type Questions = ReturnType<typeof questions>;

/**
 * Asks the person at the terminal; disposed of, it leaves the input to others.
 *
 * @param command that asks: `deskside add`
 * @param yes answers with yes and asks nothing, but for what no option may allow
 * @param config the file that the command uses, which has the settings of the window
 */
export function questions(command: string, context: CommandContext, yes: boolean, config?: string) {
  const { input, output, print } = context;
  let chunks: AsyncIterator<string | Uint8Array> | undefined;
  let typed = '';
  let pending: Promise<string> | undefined;
  /** A line that somebody has waited for in vain is the answer to the next question. */
  function line(): Promise<string> {
    pending ??= nextLine().finally(() => {
      pending = undefined;
    });
    return pending;
  }
  async function nextLine(): Promise<string> {
    // `for await` would close the input after the first answer. readline would read what is typed between
    // two questions, as the answer to the second one.
    chunks ??= input[Symbol.asyncIterator]();
    while (!typed.includes('\n')) {
      const { done, value } = await chunks.next();
      if (done === true) break;
      typed += String(value);
    }
    const [first = '', ...rest] = typed.split('\n');
    typed = rest.join('\n');
    return first.trim();
  }
  /**
   * For what lets agents do more: asks in a window on the display of the person's login session, and only without one at the
   * terminal. What is accepted is shown where the person answers.
   *
   * @throws StartError if neither exists, unless `yes` is given, and if there is a session and no window opens
   */
  async function decide(question: PersonQuestion): Promise<Decision> {
    const { parts, printed = [], isListing = false } = question;
    const lines = parts.flatMap(partLines);
    const isAsked = !yes || !isListing;
    const recorded = async (decision: Decision, via: 'terminal' | undefined) => {
      await record(command, question, decision === 'none' ? 'denied' : 'allowed', via);
      return decision;
    };
    // The popup is loaded only for a question.
    const popup = isAsked ? await import('@deskside/notify-popup') : undefined;
    const session = await popup?.personsSession.find();
    if (session !== undefined) return inWindow(question, session);
    // What a program prints into its input is not what a person types.
    const isHere = isTerminal(input) && output.isTTY === true;
    if (isAsked && !isHere && 'fd' in input) {
      const atTerminal = await askAtTerminal([...printed.flatMap(partLines), ...lines], question);
      if (atTerminal !== undefined) return recorded(atTerminal, 'terminal');
    }
    for (const each of lines) print(each);
    if (isAsked && isHere) {
      await forgetTyped();
      output.write(promptOf(question));
      return recorded(decisionOf(question, await line()), 'terminal');
    }
    if (yes) return isListing ? 'all' : recorded('all', undefined);
    throw new StartError(
      'Nothing was changed. No display and no terminal can ask you. Run it in a terminal, or pass --yes.',
    );
  }
  /** With a login session at a screen only the person there decides. */
  async function inWindow(question: PersonQuestion, { display, desktop }: PersonsSession) {
    const decision = desktop && (await askInWindow(command, question, context, desktop, config));
    if (decision !== undefined) return decision;
    throw new StartError(
      `Nothing was changed. You are logged in at the display ${display}, and no window could open there. Run "deskside doctor".`,
    );
  }
  return {
    decide,
    /** The same, of something that is accepted as a whole. */
    allow: async (question: PersonQuestion) => (await decide(question)) !== 'none',
    /** A line that the person types. Never resolves without a terminal, and at the end of the input. */
    async line(): Promise<string> {
      const text = output.isTTY === true ? await line() : '';
      return text === '' ? new Promise(() => undefined) : text;
    },
    /** The end of the input means no. @throws StartError if stdout is not a terminal */
    async confirm(question: string): Promise<boolean> {
      if (yes) return true;
      if (output.isTTY !== true) {
        throw new StartError('Nothing was changed. Run it in a terminal, or pass --yes.');
      }
      if (isTerminal(input)) await forgetTyped();
      output.write(`${question} [y/N] `);
      return isYes(await line());
    },
    async [Symbol.asyncDispose]() {
      // The end of an iterator would wait for the line.
      if (pending === undefined) await chunks?.return?.();
      else if (input instanceof Readable) input.destroy();
    },
  };
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

function promptOf({ text, offersReading = false }: PersonQuestion): string {
  return `${text} [${offersReading ? 'y = all, r = reading tools only, N = none' : 'y/N'}] `;
}

function decisionOf({ offersReading = false }: PersonQuestion, answer: string): Decision {
  if (isYes(answer)) return 'all';
  return offersReading && /^r(eading)?$/i.test(answer.trim()) ? 'reading' : 'none';
}

/** @returns undefined if no terminal controls this process */
async function askAtTerminal(
  lines: readonly string[],
  question: PersonQuestion,
): Promise<Decision | undefined> {
  if (platform() === 'win32') return undefined;
  // Without a controlling terminal the file cannot be opened.
  const terminal = await open('/dev/tty', 'r+').catch(() => undefined);
  if (terminal === undefined) return undefined;
  try {
    // The output of this process may be elsewhere.
    await terminal.write(lines.map((line) => `${line}\n`).join(''));
    await forgetTyped();
    await terminal.write(promptOf(question));
    let typed = '';
    // In the interface of an agent each key comes at once, and Enter is "\r".
    let last;
    do {
      last = await terminal.read(Buffer.alloc(100));
      typed += last.buffer.toString('utf8', 0, last.bytesRead);
    } while (last.bytesRead > 0 && !/[\r\n]/.test(typed));
    return decisionOf(question, typed.split(/[\r\n]/)[0] ?? '');
  } finally {
    await terminal.close();
  }
}

function isTerminal(input: object): boolean {
  return 'isTTY' in input && input.isTTY === true;
}

/** A terminal keeps fewer bytes. */
const MAX_TYPED_READS = 10_000;

/** What was typed before a question does not answer it. */
async function forgetTyped(): Promise<void> {
  const { O_RDONLY, O_NONBLOCK } = constants;
  // Windows, or a program without a terminal.
  const terminal = await open('/dev/tty', O_RDONLY | O_NONBLOCK).catch(() => undefined);
  if (terminal === undefined) return;
  // Only in this mode a terminal gives out a line without its end.
  const mode = new ReadStream(openSync('/dev/tty', 'r'));
  try {
    mode.setRawMode(true);
    // A typed Ctrl+D reads as an end, so only the error says that nothing is left.
    for (let reads = 0; reads < MAX_TYPED_READS; reads += 1) await terminal.read(Buffer.alloc(4096));
  } catch (error) {
    if (errnoOf(error) !== 'EAGAIN') throw error;
  } finally {
    mode.setRawMode(false);
    mode.destroy();
    await terminal.close();
  }
}
