#!/usr/bin/env node
/** Notes: a template with completion, and subscribers that learn of each change. */
import '@deskside/core/stdout';
import {
  changeFeed,
  defineServer,
  promptDefiner,
  templateDefiner,
  toolDefiner,
  UserError,
} from '@deskside/core';
import { defineOptions, runServer } from '@deskside/core/cli';
import { z } from 'zod';

const SCHEME = 'note://';

class Notes implements AsyncDisposable {
  readonly changes = changeFeed();
  readonly #texts = new Map<string, string>();

  names(): string[] {
    return [...this.#texts.keys()].toSorted((a, b) => a.localeCompare(b));
  }

  read(name: string): string | undefined {
    return this.#texts.get(name);
  }

  write(name: string, text: string): 'created' | 'changed' {
    const created = !this.#texts.has(name);
    this.#texts.set(name, text);
    if (created) this.changes.changed('resources');
    else this.changes.updated(uriOf(name));
    return created ? 'created' : 'changed';
  }

  /** @throws UserError if the note does not exist */
  delete(name: string): void {
    if (!this.#texts.delete(name)) {
      throw new UserError({
        error: `The note "${name}" does not exist.`,
        code: 'NOT_FOUND',
        hint: (toolName) => `Create it with ${toolName('write_note')}.`,
      });
    }
    this.changes.changed('resources');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#texts.clear();
  }
}

const uriOf = (name: string) => `${SCHEME}${encodeURIComponent(name)}`;
const completeName = (typed: string, _given: unknown, notes: Notes) =>
  notes.names().filter((name) => name.startsWith(typed));

const defineTool = toolDefiner<Notes>();
const name = z.string().min(1).max(80).describe('Name of the note, for example "shopping".');

const writeNote = defineTool({
  name: 'write_note',
  title: 'Write a note',
  description: 'Creates a note or replaces its text.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ name, text: z.string().describe('The whole text, for example "milk, bread".') }),
  output: z.object({ uri: z.string(), status: z.enum(['created', 'changed']) }),
  run: ({ name, text }, notes) => ({ uri: uriOf(name), status: notes.write(name, text) }),
});

const deleteNote = defineTool({
  name: 'delete_note',
  title: 'Delete a note',
  description: 'Deletes a note.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.object({ name }),
  run({ name }, notes) {
    notes.delete(name);
    return `Deleted ${name}.`;
  },
});

const note = templateDefiner<Notes>()({
  uriTemplate: `${SCHEME}{name}`,
  name: 'note',
  title: 'A note',
  mimeType: 'text/plain',
  complete: { name: completeName },
  list: (notes) => notes.names().map((each) => ({ uri: uriOf(each), name: each, mimeType: 'text/plain' })),
  read: ({ name }, notes) => notes.read(name),
});

const summarize = promptDefiner<Notes>()({
  name: 'summarize',
  title: 'Summarize a note',
  description: 'Summarizes one note in a sentence.',
  arguments: z.object({ name: z.string().describe('Name of the note.') }),
  complete: { name: completeName },
  run: ({ name }, notes) => `Summarize in one sentence:\n\n${notes.read(name) ?? '(no such note)'}`,
});

await runServer({
  name: 'notes',
  version: '1.0.0',
  summary: 'Keeps notes in memory.',
  options: defineOptions('NOTES', {}),
  open: () => new Notes(),
  definition: (notes) =>
    defineServer({
      name: 'notes',
      version: '1.0.0',
      instructions: (toolName) => `Notes are resources. ${toolName('write_note')} creates and changes them.`,
      deps: notes,
      tools: [writeNote, deleteNote],
      prompts: [summarize],
      templates: [note],
      changes: notes.changes,
    }),
});
