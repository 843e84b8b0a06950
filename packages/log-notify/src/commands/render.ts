import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parsedJson } from '@deskside/core/base';
import { choiceField, defineCommand } from '@deskside/core/program';
import { errnoOf, messageOf, StartError } from '@deskside/core/errors';
import { quoted } from '@deskside/core/text';
import * as z from 'zod';
import { normalizeContext, parseLevel } from '../notification/notification.ts';
import { logNotifyOptions } from '../options.ts';
import { deliverAll, notifyOnRecord } from './deliver-all.ts';

const flags = {
  mode: choiceField(['deliver', 'instruct']).default('deliver').meta({
    placeholder: 'MODE',
    description:
      'deliver sends the notifications during rendering; instruct writes instructions to call the tool into the output.',
  }),
  data: z.string().min(1).optional().meta({
    placeholder: 'FILE',
    description: 'JSON file with an object of template values.',
  }),
};

export const render = defineCommand({
  options: logNotifyOptions,
  flags,
  operands: 'FILE.liquid [NAME=VALUE...]',
  details: `In the template, {{ notify "text" }} and {% notify "text", level: "warn" %} are notifications. Partials must be in the folder of the template. A value that is valid JSON is parsed; any other value is text.`,
  examples: [
    'deskside-log-notify render release.liquid complexity=7 branch=main',
    'deskside-log-notify render prompt.liquid --mode instruct --data values.json',
  ],
  async run({ mode, data, ...settings }, { operands: [template, ...pairs], output, note }) {
    if (template === undefined) throw new StartError('Missing template. Usage: render FILE.liquid');
    const values = { ...(data === undefined ? {} : await readValues(data)), ...parseValues(pairs) };
    const { deliver, instruct, NotifyLiquid } = await import('../liquid/notify-liquid.ts');
    await deliverAll(settings, note, async (logNotify) => {
      const sent: Promise<unknown>[] = [];
      const handler =
        mode === 'instruct'
          ? instruct()
          : deliver(({ message, level, context }) => {
              const input = { message, level: parseLevel(level), context: normalizeContext(context) };
              sent.push(notifyOnRecord(logNotify, input, 'render'));
            });
      const liquid = new NotifyLiquid(handler, { root: dirname(resolve(template)), extname: '.liquid' });
      try {
        const rendered: unknown = await liquid
          .renderFile(basename(template), values)
          .catch((error: unknown) => {
            const reason =
              errnoOf(error) === undefined ? messageOf(error) : `${template} cannot be read. Pass its path.`;
            throw new StartError(reason, { cause: error });
          });
        output.write(String(rendered));
      } finally {
        // A rule may ask first how long the person is away: the sinks must not close before they have them.
        await Promise.all(sent);
      }
    });
  },
});

async function readValues(file: string): Promise<Readonly<Record<string, unknown>>> {
  const values: unknown = await readFile(file, 'utf8')
    .then((text): unknown => JSON.parse(text))
    .catch((error: unknown) => {
      throw new StartError(`${file} cannot be read as JSON: ${messageOf(error)}`, { cause: error });
    });
  if (typeof values !== 'object' || values === null)
    throw new StartError(`${file} must contain a JSON object.`);
  return { ...values };
}

function parseValues(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([\w-]+)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw new StartError(`${quoted(pair)} is not a NAME=VALUE pair.`);
      const parsed = parsedJson(value);
      return [name, parsed === undefined ? value : parsed];
    }),
  );
}
