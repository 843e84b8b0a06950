import { text } from 'node:stream/consumers';
import { choiceField, defineCommand } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import type { Receipt } from '../delivery/receipt.ts';
import { DEFAULT_CONTEXT, KNOWN_CONTEXTS, LEVELS, normalizeContext } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { logNotifyOptions } from '../options.ts';
import { deliverAll } from './deliver-all.ts';

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
  async run({ level, context, from, ...settings }, { operands, input, print, note }) {
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
      receipt = await logNotify.notify(sent);
    });
    const seenIn = [...receipt.delivered, ...confirmed(receipt)].filter((sink) => !failures.has(sink));
    if (seenIn.length === 0) throw new StartError(unseenText(receipt, failures));
    // On this terminal the message is shown already.
    const others = seenIn.filter((sink) => sink !== 'stderr');
    if (others.length > 0) print(`Notification sent: ${escapeLine(message)} (${others.join(', ')})`);
  },
});

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
  return `No person can see the message now (${reasons.join(', ') || 'no sink is configured'}).`;
}
