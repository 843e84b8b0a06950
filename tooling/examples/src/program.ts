#!/usr/bin/env node
import '@deskside/core/stdout';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  choiceField,
  defineDoctor,
  defineOptions,
  folders,
  type OptionsOf,
  runServer,
  withDefaults,
} from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { z } from 'zod';
import { notesServer } from './resources.ts';

/** Flags `--file` and `--sort`; variables `NOTES_FILE` and `NOTES_SORT`. */
const options = defineOptions('NOTES', {
  file: z
    .string()
    .default(() => join(folders().data, 'notes.json'))
    .meta({
      placeholder: 'FILE',
      description: 'JSON file with the notes.',
      defaultText: 'notes.json in the data folder',
    }),
  sort: choiceField(['name', 'none'])
    .default('name')
    .meta({ placeholder: 'ORDER', description: 'Order of the notes.' }),
});

/** @throws StartError: one line on stderr and exit code 1 */
function openNotes(given: Partial<OptionsOf<typeof options>> = {}) {
  const { file, sort } = withDefaults(options, given);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StartError(`${file} cannot be read. Pass another file with --file.`, { cause: error });
  }
  const entries = Object.entries(z.record(z.string(), z.string()).parse(JSON.parse(text)));
  const notes = new Map(sort === 'name' ? entries.toSorted(([a], [b]) => a.localeCompare(b)) : entries);
  return { notes, [Symbol.asyncDispose]: async () => notes.clear() };
}

const doctor = defineDoctor({
  options,
  async examine(settings) {
    const facts = [['Notes', String(openNotes(settings).notes.size)]] as const;
    return { program: 'notes 1.0.0', facts, problems: [] };
  },
});

await runServer({
  name: 'notes',
  version: '1.0.0',
  summary: 'Serves notes as resources.',
  options,
  open: openNotes,
  definition: ({ notes }) => notesServer(notes),
  commands: { doctor: { summary: 'Check the file.', load: async () => doctor } },
});
