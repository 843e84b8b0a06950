import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '@deskside/core/base';
import { findTerminal, type Terminal } from '@deskside/desktop';
import { choiceField, type CommandContext, defineCommand, thisProcess } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import type { Receipt } from '../delivery/receipt.ts';
import { within } from '../delivery/within.ts';
import { readHostEvent } from './host-event.ts';
import { DEFAULT_CONTEXT, KNOWN_CONTEXTS, LEVELS, normalizeContext } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { type LogNotifyOptions, logNotifyOptions } from '../options.ts';
import { deliverAll, notifyOnRecord } from './deliver-all.ts';
import { terminalSequence } from './terminal-sequence.ts';

/** How long a notification on the desktop waits for a click. */
const CLICK_TIMEOUT_MS = 600_000;

/** Set by `send --hook` for its process in the background: the terminal, as JSON. */
const TERMINAL_VARIABLE = 'DESKSIDE_TERMINAL';

const flags = {
  level: choiceField(LEVELS)
    .default('info')
    .meta({ placeholder: 'LEVEL', description: `Level: ${LEVELS.join(', ')}.` }),
  context: z
    .string()
    .default(DEFAULT_CONTEXT)
    .meta({
      placeholder: 'CONTEXT',
      description: `Category: ${KNOWN_CONTEXTS.join(', ')} or your own word.`,
    }),
  from: z
    .string()
    .min(1)
    .optional()
    .meta({ placeholder: 'NAME', description: 'Who sends it, for example the name of a job.' }),
  hook: z.boolean().default(false).meta({
    description:
      'Send what an agent tells its hooks, as JSON on standard input or as the last argument: Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and OpenCode. Sends nothing while its terminal has the focus.',
  }),
};

export const send = defineCommand({
  options: logNotifyOptions,
  flags,
  operands: 'MESSAGE...',
  details: `Everything after -- is part of the message, even if it looks like an option. With - as the message, the command reads it from standard input.

The command waits until each sink has delivered the message or failed. The exit code is 0 if a person can see the message now: on this terminal, in a tail of the file, on the desktop or in a service. What failed is sent again by the next start of a server or a command.`,
  examples: [
    "deskside-log-notify send --level warn --context safety 'Backing up before the migration'",
    'make 2>&1 | tail -n 1 | deskside-log-notify send --from make -',
  ],
  async run({ level, context, from, hook, ...settings }, command) {
    if (hook) return sendFromHook(settings, command);
    const { operands, input, print, note } = command;
    const words = operands.join(' ');
    const message = words === '-' ? (await text(input)).trim() : words;
    if (message.trim() === '') throw new StartError('Missing message. Usage: send MESSAGE...');
    let receipt: Receipt = { delivered: [], unseen: {}, suppressed: {} };
    const sent = {
      level,
      context: normalizeContext(context),
      message,
      ...(from === undefined ? {} : { caller: from }),
    };
    const failures = await deliverAll(settings, note, async (logNotify) => {
      receipt = await notifyOnRecord(logNotify, sent, 'send');
    });
    const seenIn = [...receipt.delivered, ...confirmed(receipt)].filter((sink) => !failures.has(sink));
    if (seenIn.length === 0) throw new StartError(unseenText(receipt, failures));
    // On this terminal the message is shown already.
    const others = seenIn.filter((sink) => sink !== 'stderr');
    if (others.length > 0) print(`Notification sent: ${escapeLine(message)} (${others.join(', ')})`);
    return 0;
  },
});

/** Prints only what the host shows in its terminal: it reads the output. An agent does not wait for the sinks. */
async function sendFromHook(
  settings: LogNotifyOptions,
  { operands, input, env, note, print }: CommandContext,
): Promise<number> {
  const json = operands.at(-1) ?? (await text(input));
  const event = parseEvent(json);
  if (event === undefined) return 0;
  const known = env[TERMINAL_VARIABLE];
  if (known === undefined) {
    const { id, command } = thisProcess();
    const found = await findTerminal({ env, processId: id });
    if (found.hasFocus) return 0;
    const [program, ...args] = command;
    // With the same options. Other users can read arguments: the text is none.
    const options = args.filter((word) => !operands.includes(word));
    await startInBackground([program, ...options], env, json, found.terminal);
    const sequence = terminalSequence(event, env);
    if (sequence !== undefined) print(JSON.stringify({ terminalSequence: sequence }));
    return 0;
  }
  const terminal: Terminal = JSON.parse(known);
  await deliverAll(settings, note, async (logNotify) => {
    await notifyOnRecord(logNotify, { ...event, terminal }, 'send');
    await within(systemClock, CLICK_TIMEOUT_MS, logNotify.clicked());
  });
  return 0;
}

function parseEvent(json: string) {
  try {
    return readHostEvent(json, Date.now());
  } catch (error) {
    throw new StartError('--hook needs the JSON that an agent passes to its hooks.', { cause: error });
  }
}

/** A process that outlives the hook: a click on the notification needs it. */
async function startInBackground(
  [program, ...args]: readonly [string, ...string[]],
  env: CommandContext['env'],
  json: string,
  terminal: Terminal,
): Promise<void> {
  const child = spawn(program, args, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...env, [TERMINAL_VARIABLE]: JSON.stringify(terminal) },
    windowsHide: true,
  });
  child.unref();
  await pipeline(Readable.from([json]), child.stdin);
}

/** Sinks that had not answered yet, or had failed once. They have worked in the meantime, unless they failed again. */
function confirmed({ unseen, suppressed }: Receipt): string[] {
  return [
    ...Object.keys(unseen).filter((sink) => unseen[sink] === 'not confirmed'),
    ...Object.keys(suppressed).filter((sink) => suppressed[sink] === 'failing'),
  ];
}

function unseenText({ unseen, suppressed }: Receipt, failures: ReadonlyMap<string, string>): string {
  const reasons = Object.entries({ ...unseen, ...suppressed }).map(
    ([sink, reason]) => `${sink}: ${failures.has(sink) ? 'failing' : reason}`,
  );
  return `No one sees this now (${reasons.join(', ') || 'no sink is configured'}).`;
}
