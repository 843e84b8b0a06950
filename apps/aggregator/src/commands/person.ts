import { randomUUID } from 'node:crypto';
import { silentLog } from '@deskside/core';
import { DEFAULT_USER } from '@deskside/core/base';
import { escapeInvisible } from '@deskside/core/text';
import { type CommandContext, readOptions } from '@deskside/core/program';
import { displayOf } from '@deskside/gateway';
import { type ClientDesktop, openUserJournal, type ReviewPart } from '@deskside/desktop';
import { loadConfig } from '../config/load.ts';
import { configIn } from '../options.ts';

/** What only the person decides, because a program that runs as the person could run the command, too. */
export interface PersonQuestion {
  readonly text: string;
  /** All that is accepted by it. Escaped. */
  readonly parts: readonly ReviewPart[];
  /** What the command has printed of it before. */
  readonly printed?: readonly ReviewPart[];
  /** True if the person can also accept it without the tools that do more than read. */
  readonly offersReading?: boolean;
  /** What a server lists, and nothing that lets a call run unasked: `--yes` accepts it. */
  readonly isListing?: boolean;
  /** The tool that it is about, for the journal. */
  readonly item?: { readonly mount: string; readonly tool: string };
}

/** A part that says one thing. */
export function factPart(title: string, value: string): ReviewPart {
  return { title, text: escapeInvisible(value, { multiline: true }) };
}

/** `reading`: without the tools that do more than read. */
export type Decision = 'all' | 'reading' | 'none';

/**
 * @param command that asks: `deskside add`
 * @param config the file with the settings of the window
 * @returns undefined if no window can open there
 */
export async function askInWindow(
  command: string,
  question: PersonQuestion,
  { env, note, closed }: CommandContext,
  client: ClientDesktop,
  config: string | undefined = configIn(env),
): Promise<Decision | undefined> {
  const { openPopup, popupOptions } = await import('@deskside/notify-popup');
  const file = (await loadConfig(config))?.config.settings['popup'];
  const settings = readOptions(popupOptions, { flags: {}, env, file });
  await using popup = openPopup({ ...settings, history: false }, { env });
  const outcome = await popup.inbox.ask(
    {
      kind: 'approval',
      message: question.text,
      title: 'Deskside: your decision',
      theme: popup.theme,
      showsHistory: false,
      chimes: false,
      caller: command,
      approval: {
        arguments: [],
        calls: 1,
        more: [],
        isExact: false,
        review: {
          parts: [...(question.printed ?? []), ...question.parts],
          offersReading: question.offersReading ?? false,
        },
      },
    },
    {
      item: { id: randomUUID(), user: DEFAULT_USER },
      session: undefined,
      client,
      signal: closed,
      log: {
        ...silentLog,
        debug: (message) => message === 'popup accepts keys' && note('Answer in the window.'),
      },
    },
  );
  switch (outcome.kind) {
    case 'allowed':
      await record(command, question, 'allowed', 'window', displayOf(client));
      return outcome.isReadingOnly === true ? 'reading' : 'all';
    case 'no-display':
    case 'failed':
      return undefined;
    case 'denied':
      await record(command, question, 'denied', 'window', displayOf(client));
      if (outcome.text.trim() !== '') note(`Denied: ${outcome.text}`);
      return 'none';
    default:
      return 'none';
  }
}

/** A window that does not open is no decision. @param via undefined if an option decided */
export async function record(
  command: string,
  { text, item }: Pick<PersonQuestion, 'text' | 'item'>,
  outcome: 'allowed' | 'denied',
  via: 'window' | 'terminal' | undefined,
  display?: string,
): Promise<void> {
  await using journal = openUserJournal(silentLog);
  const who = { caller: command, user: DEFAULT_USER };
  journal.begin({ kind: 'approval', ...who, ...item, display, content: { text } }).end(outcome, via);
}
