import { createLog } from '@deskside/core';
import { defineCommand, logFields } from '@deskside/core/program';
import { openUserJournal, type PopupOutcome } from '@deskside/desktop';
import * as z from 'zod';
import { openPopup } from '../notify-popup.ts';
import { popupOptions } from '../options.ts';

const timeoutError = 'use a number of seconds from 5 to 300';

const flags = {
  timeout: z.coerce
    .number({ error: timeoutError })
    .min(5, { error: timeoutError })
    .max(300, { error: timeoutError })
    .optional()
    .meta({
      placeholder: 'SECONDS',
      defaultText: 'no timeout',
      description: 'Time for the answer, 5 to 300 seconds.',
    }),
  title: z.string().default('Question').meta({ placeholder: 'TEXT', description: 'Title of the window.' }),
  chime: z.boolean().default(false).meta({ description: 'Play a sound when the popup opens.' }),
  // By default stderr has only the outcome.
  logLevel: logFields.logLevel.default('error').meta(logFields.logLevel.meta() ?? {}),
};

/** Exit code 1 is an error in the command line. */
const EXIT_CODES = {
  submitted: 0,
  displayed: 0,
  waits: 0,
  sent: 0,
  empty: 3,
  cancelled: 4,
  dismissed: 5,
  // Of approvals.
  allowed: 0,
  denied: 4,
  timeout: 6,
  superseded: 7,
  abandoned: 7,
  'no-display': 8,
  failed: 8,
} as const satisfies Record<PopupOutcome['kind'], number>;

const documentedCodes = Object.entries(EXIT_CODES)
  .filter(([kind]) => !['displayed', 'waits', 'sent', 'abandoned', 'allowed', 'denied'].includes(kind))
  .map(([kind, code]) => `${code} ${kind}`);

const EXAMPLE = 'branch=$(deskside-notify-popup ask "Which branch?" --timeout 60) && git switch "$branch"';

export const askCommand = defineCommand({
  options: popupOptions,
  flags,
  operands: 'QUESTION',
  details: `Prints the answer on stdout, any other outcome on stderr.\n\nExit codes: ${documentedCodes.join(', ')}, 1 invalid command line.`,
  examples: [EXAMPLE],
  async run({ timeout, title, theme, chime, logLevel, ...options }, { operands, print, note, write }) {
    const [message = ''] = operands;
    const log = createLog({ level: logLevel, write });
    await using journal = openUserJournal(log);
    const popup = openPopup(options, { journal });
    const outcome = await popup.inbox.ask(
      {
        kind: 'question',
        message,
        title,
        theme,
        showsHistory: false,
        chimes: chime,
        caller: 'a shell',
        ...(timeout === undefined ? {} : { timeout }),
      },
      {
        session: 'shell',
        signal: new AbortController().signal,
        log,
        onQueued: (ahead) => note(`Waits for ${ahead === 1 ? 'another popup' : `${ahead} other popups`}.`),
      },
    );
    await popup[Symbol.asyncDispose]();
    if (outcome.kind === 'submitted') print(outcome.text);
    else note([outcome.kind, ...obstacleOf(outcome)].join(': '));
    return EXIT_CODES[outcome.kind];
  },
});

/** What kept the question from the screen, and what to do. */
function obstacleOf(outcome: PopupOutcome): readonly string[] {
  const advice = 'Run the command "doctor".';
  if (outcome.kind === 'no-display') return [[...outcome.tried, advice].join(' ')];
  return outcome.kind === 'failed' ? [`${outcome.reason}. ${advice}`] : [];
}
