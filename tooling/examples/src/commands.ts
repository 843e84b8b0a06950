#!/usr/bin/env node
import { join } from 'node:path';
import {
  type Command,
  type CommandContext,
  type CommandEntry,
  type CommandSpec,
  clientConfiguration,
  commonOptions,
  defineCommand,
  defineOptions,
  folders,
  listenFields,
  listenOptions,
  loadOrCreateToken,
  pickOptions,
  serverSecret,
  type Program,
  runProgram,
} from '@deskside/core/cli';
import { serve } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import { z } from 'zod';
import { flagLines, gatewayOptions } from './options.ts';
import { libraryServer } from './tools.ts';

const shout = z.boolean().default(false).meta({ short: 's', description: 'Use capital letters.' });
const greetSpec: CommandSpec<{ shout: typeof shout }> = {
  flags: { shout },
  operands: 'NAME...',
  details: 'With - as the name it reads names from stdin.',
  examples: ['greet hello Ada --shout'],
  async run({ shout }, context) {
    const names = await namesOf(context);
    if (names === '') {
      throw new UserError({
        error: 'The name is missing.',
        code: 'INVALID_ARGUMENT',
        hint: 'Write it after hello.',
      });
    }
    context.print(shout ? `HELLO ${names.toUpperCase()}` : `Hello ${names}`);
    // On stderr, so that a pipe gets results only.
    context.note('Greeted.');
  },
};

async function namesOf({ operands, input }: CommandContext): Promise<string> {
  if (operands.join() !== '-') return operands.join(' ');
  let text = '';
  for await (const chunk of input) text += chunk.toString();
  return text.trim();
}

const settings: Command = defineCommand({
  options: pickOptions(gatewayOptions, ({ adminPort, host, port }) => ({ adminPort, host, port })),
  async run({ adminPort, host, port }, { print }) {
    print(`${host}:${port}, admin ${adminPort}`);
    for (const line of flagLines(commonOptions())) print(line);
  },
});

const token: CommandEntry = {
  summary: 'Print the bearer token, and create it on first use.',
  load: async () =>
    defineCommand({
      run: async (_, { print }) => print(await loadOrCreateToken(join(folders().data, 'token'))),
    }),
};

/** Serves over HTTP, as `runServer` does with `--http`. */
const http = defineCommand({
  options: defineOptions('DESKSIDE', listenFields),
  async run({ token: given, secret: givenSecret, ...listen }, { print }) {
    const bearer = given ?? (await loadOrCreateToken(join(folders().data, 'token')));
    const secret = await serverSecret({ secret: givenSecret, token: given });
    const { url = '' } = await serve(libraryServer({ books: new Map() }), {
      http: listenOptions(listen, bearer),
      ...(secret === undefined ? {} : { secret }),
    });
    print(clientConfiguration('library', url, '<token>'));
  },
});

const program: Program = {
  name: 'greet',
  version: '1.0.0',
  summary: 'Greets people.',
  commands: {
    hello: { summary: 'Say hello.', load: async () => defineCommand(greetSpec) },
    http: { summary: 'Serve over HTTP.', load: async () => http },
    settings: { summary: 'Print the settings.', load: async () => settings },
    'token show': token,
  },
};

await runProgram(program);
