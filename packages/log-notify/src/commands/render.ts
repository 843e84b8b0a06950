import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { openLogNotify } from '../log-notify.ts';
import { contextOf } from '../message/contexts.ts';
import { levelOf } from '../message/levels.ts';
import { CommandFailed, type CommandSpec } from './command.ts';
import { filterFlag, sharedFlags } from './flags.ts';
import { keepAlive } from './keep-alive.ts';

const MODES = ['deliver', 'instruct'] as const;

const flags = {
  mode: z
    .enum(MODES, { error: `use one of ${MODES.join(', ')}` })
    .default('deliver')
    .meta({
      placeholder: 'MODE',
      description: 'deliver notifies while it renders; instruct writes what tells a model to call the tool.',
    }),
  data: z.string().min(1).optional().meta({
    placeholder: 'FILE',
    description: 'JSON file with an object of values for the template.',
  }),
  filter: filterFlag,
  ...sharedFlags,
};

export const render: CommandSpec<typeof flags> = {
  name: 'render',
  operands: 'FILE.liquid [NAME=VALUE...]',
  help: `Renders a Liquid template in which {{ notify "text" }} and {% notify "text", level: "warn" %} notify.

Partials are looked for beside the template, and nowhere else. A value that reads as JSON is that, any other is text.

  deskside-log-notify render release.liquid complexity=7 branch=main
  deskside-log-notify render prompt.liquid --mode instruct --data values.json`,
  flags,
  async run({ mode, data, ...options }, [template, ...pairs], terminal) {
    if (template === undefined) throw new CommandFailed('name the template: render FILE.liquid');
    const values = { ...(data === undefined ? {} : await valuesIn(data)), ...valuesOf(pairs) };
    const { deliver, instruct, NotifyLiquid } = await import('../liquid/index.ts');
    const logNotify = openLogNotify({ ...options, report: terminal.note });
    const speak =
      mode === 'instruct'
        ? instruct()
        : deliver(({ message, level, context }) =>
            logNotify.notify({ message, level: levelOf(level), context: contextOf(context) }),
          );
    const liquid = new NotifyLiquid(speak, { root: dirname(resolve(template)), extname: '.liquid' });
    try {
      terminal.output.write(String(await liquid.renderFile(basename(template), values)));
      const failures = await keepAlive(() => logNotify.settled());
      for (const [sink, failure] of failures) terminal.note(`${sink}: ${failure}`);
    } catch (error) {
      throw new CommandFailed(error instanceof Error ? error.message : String(error), { cause: error });
    } finally {
      await logNotify[Symbol.asyncDispose]();
    }
  },
};

async function valuesIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  const values: unknown = await readFile(file, 'utf8')
    .then((text): unknown => JSON.parse(text))
    .catch((error: unknown) => {
      throw new CommandFailed(`${file} can't be read as JSON: ${String(error)}`, { cause: error });
    });
  if (typeof values !== 'object' || values === null) throw new CommandFailed(`${file} holds no object`);
  return { ...values };
}

function valuesOf(pairs: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([\w-]+)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined) {
        throw new CommandFailed(`"${pair}" is no NAME=VALUE`);
      }
      return [name, jsonOrText(value)];
    }),
  );
}

function jsonOrText(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
