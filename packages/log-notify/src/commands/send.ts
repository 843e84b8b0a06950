import { text } from 'node:stream/consumers';
import { choiceField, defineCommand, defineOptions } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { z } from 'zod';
import type { Receipt } from '../delivery/dispatcher.ts';
import { DEFAULT_CONTEXT, KNOWN_CONTEXTS, LEVELS, normalizeContext } from '../notification/notification.ts';
import { escapeLine } from '../notification/safe-text.ts';
import { deliverAll, serverSettings } from './server-settings.ts';

const options = defineOptions('LOG_NOTIFY', {
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
  ...serverSettings,
});

export const send = defineCommand({
  options,
  operands: 'MESSAGE...',
  details: `Everything after -- is part of the message, even if it looks like an option. With - as the message, the command reads it from standard input.

The command waits for all sinks. The exit code is 1 if no sink accepts the message.`,
  examples: [
    "deskside-log-notify send --level warn --context safety 'Backing up before the migration'",
    'make 2>&1 | tail -n 1 | deskside-log-notify send -',
  ],
  async run({ level, context, ...settings }, { operands, input, print, note }) {
    const words = operands.join(' ');
    const message = words === '-' ? (await text(input)).trim() : words;
    if (message.trim() === '') throw new StartError('Missing message. Usage: send MESSAGE...');
    let receipt: Receipt = { delivered: [], suppressed: {} };
    const failures = await deliverAll(settings, note, async (logNotify) => {
      receipt = await logNotify.notify({ level, context: normalizeContext(context), message });
    });
    const { delivered, suppressed } = receipt;
    if (delivered.every((sink) => failures.has(sink))) {
      const reasons = Object.entries(suppressed).map(([sink, reason]) => `${sink}: ${reason}`);
      throw new StartError(`No sink accepted the message (${reasons.join(', ') || 'every sink failed'}).`);
    }
    print(`Notification sent: ${escapeLine(message)}`);
  },
});
