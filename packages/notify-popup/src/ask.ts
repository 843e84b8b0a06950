import {
  choiceField,
  defineOptions,
  readFlags,
  readOptions,
  runProgram,
  settingsHelp,
  silentLog,
  StartError,
} from '@deskside/core';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };
import { popupOptions } from './options.ts';
import { openPopup } from './popup.ts';
import type { Outcome } from './service/outcome.ts';

const timeoutError = 'use a number of seconds from 5 to 300';

const askOptions = defineOptions('NOTIFY_POPUP_ASK', {
  timeout: z.coerce
    .number({ error: timeoutError })
    .min(5, { error: timeoutError })
    .max(300, { error: timeoutError })
    .optional()
    .meta({
      placeholder: 'SECONDS',
      description: 'How long to wait for the answer. Default: as long as it takes.',
    }),
  title: z.string().default('Question').meta({ placeholder: 'TEXT', description: 'Title of the window.' }),
  theme: choiceField(['auto', 'light', 'dark'])
    .default('auto')
    .meta({ placeholder: 'NAME', description: 'Colours: auto, light or dark.' }),
  chime: z.boolean().default(false).meta({ description: 'Play a sound when the question comes up.' }),
});

/** Exit codes by outcome; 1 is a wrong use. */
const EXIT_CODES = {
  submitted: 0,
  displayed: 0,
  empty: 3,
  cancelled: 4,
  dismissed: 5,
  timeout: 6,
  superseded: 7,
  abandoned: 7,
  'no-display': 8,
  failed: 8,
} as const satisfies Record<Outcome['kind'], number>;

const settings = [...askOptions.settings, ...popupOptions.settings];

const usage = [
  'Asks the person at the desk and prints the answer.',
  '',
  'Usage: deskside-notify-popup ask "QUESTION" [options]',
  '',
  `Exit code: ${Object.entries(EXIT_CODES)
    .filter(([kind]) => kind !== 'displayed' && kind !== 'abandoned')
    .map(([kind, code]) => `${code} ${kind}`)
    .join(', ')}, 1 wrong use.`,
  '',
  'Options:',
  settingsHelp(settings),
  '  --help',
  '  --version',
].join('\n');

/** Says with which code the process is to end. */
export type Exit = (code: number) => void;

/** `ask "Question?"`: the same popup from a shell. */
export async function runAsk(exit: Exit): Promise<void> {
  const program = { name: 'deskside-notify-popup ask', version: manifest.version, usage };
  await runProgram(program, async ({ argv: [, message, ...rest], env, print, write }) => {
    if (message === undefined || message === '' || message.startsWith('--')) {
      throw new StartError('Say what to ask: ask "Shall I go on?" See --help.');
    }
    const flags = readFlags(settings, rest);
    const { timeout, title, theme, chime } = readOptions(askOptions, { flags, env });
    const popup = openPopup({ ...readOptions(popupOptions, { flags, env }), prewarm: 'off' });
    const outcome = await popup.service.ask(
      {
        message,
        title,
        theme,
        waitsForResponse: true,
        showsHistory: false,
        chimes: chime,
        client: 'a shell',
        ...(timeout === undefined ? {} : { timeout }),
      },
      { session: 'shell', signal: new AbortController().signal, log: silentLog },
    );
    await popup[Symbol.asyncDispose]();
    if (outcome.kind === 'submitted') print(outcome.text);
    else write(`${outcome.kind === 'failed' ? `failed: ${outcome.reason}` : outcome.kind}\n`);
    exit(EXIT_CODES[outcome.kind]);
  });
}
