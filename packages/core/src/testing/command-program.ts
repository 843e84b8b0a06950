/** A bin with commands, for tests of the program frame. */
import '@deskside/core/stdout';
import { defineCommand, runProgram } from '@deskside/core/program';
import { z } from 'zod';

const greet = defineCommand({
  flags: {
    times: z.coerce.number().int().min(0).default(1).meta({ placeholder: 'N', description: 'How often.' }),
  },
  operands: 'NAME...',
  async run({ times }, { operands, input, output, print, note }) {
    let names = operands.join(' ');
    if (names === '-') {
      names = '';
      for await (const chunk of input) names += chunk.toString();
    }
    for (let round = 0; round < times; round += 1) print(`Hello ${names.trim()}`);
    note(`terminal: ${output.isTTY === true}`);
  },
});

await runProgram({
  name: 'demo',
  version: '1.2.3',
  summary: 'Tests the program frame.',
  commands: { greet: { summary: 'Greet somebody.', load: async () => greet } },
});
