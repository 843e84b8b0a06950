#!/usr/bin/env node
import '@deskside/core/stdout';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  choiceField,
  defineDoctor,
  defineOptions,
  folders,
  listField,
  type OptionsOf,
  runServer,
  thisProcess,
  withDefaults,
} from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import { z } from 'zod';
import { notesServer } from './resources.ts';

/** Flags `--file`, `--sort`, `--hidden`; variables `NOTES_FILE`, `NOTES_SORT`, `NOTES_HIDDEN`. */
export const notesOptions = defineOptions('NOTES', {
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
  hidden: listField().meta({ placeholder: 'NAMES', description: 'Notes to leave out, separated by commas.' }),
});

/**
 * For the program, and for other programs, which may leave options out.
 *
 * @throws StartError: one line on stderr and exit code 1
 */
function openNotes(given: Partial<OptionsOf<typeof notesOptions>> = {}) {
  const { file, sort, hidden } = withDefaults(notesOptions, given);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new StartError(`The notes in ${file} cannot be read. Pass another file with --file.`, {
      cause: error,
    });
  }
  const entries = Object.entries(z.record(z.string(), z.string()).parse(content));
  const sorted = sort === 'name' ? entries.toSorted(([a], [b]) => a.localeCompare(b)) : entries;
  const notes = new Map(sorted.filter(([name]) => !hidden.includes(name)));
  return { notes, [Symbol.asyncDispose]: async () => notes.clear() };
}

const doctor = defineDoctor({
  options: notesOptions,
  async examine(options) {
    const { notes } = openNotes(options);
    const facts = [
      ['File', options.file],
      ['Notes', String(notes.size)],
      ['Home', thisProcess().env['HOME'] ?? 'not set'],
    ] as const;
    const problems = notes.size > 0 ? [] : [{ problem: 'The file holds no notes.', remedy: 'Add one.' }];
    return { program: 'notes 1.0.0', facts, problems };
  },
});

await runServer({
  name: 'notes',
  version: '1.0.0',
  summary: 'Serves notes as resources.',
  options: notesOptions,
  open: openNotes,
  definition: ({ notes }) => notesServer(notes),
  commands: { doctor: { summary: 'Check the file.', load: async () => doctor } },
  examples: ['notes --file ./notes.json'],
});
