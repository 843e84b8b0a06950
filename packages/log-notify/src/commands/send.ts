import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type LogNotify, openLogNotify } from '../log-notify.ts';
import { contextOf } from '../message/contexts.ts';
import { LEVELS } from '../message/levels.ts';
import { neutralize } from '../message/neutralize.ts';
import type { Spoken } from '../message/notification.ts';
import { CommandFailed, type CommandSpec, type Terminal } from './command.ts';
import { filterFlag, sharedFlags } from './flags.ts';
import { keepAlive } from './keep-alive.ts';

const flags = {
  level: z
    .enum(LEVELS, { error: `use one of ${LEVELS.join(', ')}` })
    .default('info')
    .meta({ placeholder: 'LEVEL', description: `How much it matters: ${LEVELS.join(', ')}.` }),
  context: z.string().default('llm').meta({
    placeholder: 'CONTEXT',
    description: 'What it is about: analysis, workflow, safety, performance, discovery, or your own word.',
  }),
  filter: filterFlag,
  ...sharedFlags,
};

export const send: CommandSpec<typeof flags> = {
  name: 'send',
  operands: 'MESSAGE...',
  help: `Notifies from a shell as a model does through the tool: the same filters, sinks and limits.

Behind -- everything is the message, also what looks like a flag. With - as the message it is read from the input. It ends when every sink is done, and fails where none took it.

  deskside-log-notify send --level warn --context safety 'Backing up before the migration'
  make 2>&1 | tail -n 1 | deskside-log-notify send -`,
  flags,
  async run({ level, context, ...options }, operands, terminal) {
    const words = operands.join(' ');
    const message = words === '-' ? (await text(terminal.input)).trim() : words;
    if (message.trim() === '') throw new CommandFailed('the message is empty: write it after "send"');
    const logNotify = openLogNotify({ ...options, report: terminal.note });
    try {
      await keepAlive(() => sendNow(logNotify, { level, context: contextOf(context), message }, terminal));
    } finally {
      await logNotify[Symbol.asyncDispose]();
    }
  },
};

async function sendNow(logNotify: LogNotify, spoken: Spoken, { output, note }: Terminal): Promise<void> {
  const { delivered, suppressed } = await logNotify.notify(spoken);
  const failures = await logNotify.settled();
  for (const [sink, failure] of failures) note(`${sink}: ${failure}`);
  if (delivered.every((sink) => failures.has(sink))) {
    const reasons = Object.entries(suppressed).map(([sink, reason]) => `${sink}: ${reason}`);
    throw new CommandFailed(`it reached nobody (${reasons.join(', ') || 'every sink failed'})`);
  }
  output.write(`Notification sent: ${neutralize(spoken.message)}\n`);
}
