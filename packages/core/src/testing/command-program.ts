/** A bin with commands, for tests of the program frame. */
import '@deskside/core/stdout';
import { defineCommand, defineDoctor, defineOptions, runProgram } from '@deskside/core/program';
import { UserError } from '@deskside/core/errors';
import { z } from 'zod';

const options = defineOptions('DEMO', {
  database: z.string().default('/data').meta({ description: 'The database.' }),
  key: z.string().optional().meta({ flag: false, isSecret: true, description: 'The key.' }),
  plain: z.boolean().default(false).meta({ description: 'No colors.' }),
});

const greet = defineCommand({
  flags: {
    times: z.coerce.number().int().min(0).default(1).meta({ placeholder: 'N', description: 'How often.' }),
  },
  operands: 'NAME...',
  details: 'With - as the name it reads the names from stdin.',
  examples: ['demo greet Ada --times 2'],
  async run({ times }, { operands, input, output, print, note }) {
    let names = operands.join(' ');
    if (names === '-') {
      names = '';
      for await (const chunk of input) names += chunk.toString();
    }
    if (names === '') {
      throw new UserError({
        error: 'No name was given.',
        code: 'INVALID_ARGUMENT',
        hint: 'Write it behind "greet".',
      });
    }
    for (let round = 0; round < times; round += 1) print(`Hello ${names.trim()}`);
    note(`terminal: ${output.isTTY === true}`);
  },
});

await runProgram({
  name: 'demo',
  version: '1.2.3',
  summary: 'Tests the program frame.',
  commands: {
    greet: { summary: 'Greet somebody.', load: async () => greet },
    more: {
      summary: 'More commands.',
      load: async () => ({ commands: { greet: { summary: 'Greet.', load: async () => greet } } }),
    },
    'token show': {
      summary: 'Print the token.',
      load: async () => defineCommand({ run: async (_, { print }) => print('secret') }),
    },
    doctor: {
      summary: 'Check the environment.',
      load: async () =>
        defineDoctor({
          options,
          examine: async () => ({
            program: 'demo 1.2.3',
            facts: [
              ['Database', '/data/x\u001B[31m'],
              ['Log', 'on'],
            ],
            problems: [{ problem: 'The database is missing.', remedy: 'Create it.' }],
          }),
        }),
    },
    crash: {
      summary: 'Throw a defect.',
      load: async () =>
        defineCommand({
          run: () => {
            throw new Error('a defect');
          },
        }),
    },
  },
});
