import { readFile } from 'node:fs/promises';
import { toolDefiner } from '@deskside/core';
import { errnoOf, UserError } from '@deskside/core/errors';
import { z } from 'zod';

/** Domain code throws `UserError` itself: a tool needs no `catch`. */
async function readNote(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new UserError({
      error: 'The note does not exist.',
      code: 'NOT_FOUND',
      hint: (toolName) => `List the notes with ${toolName('list_notes')}.`,
    });
  }
}

export const readNoteTool = toolDefiner<null>()({
  name: 'read_note',
  title: 'Read a note',
  description: 'Returns the text of a note.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ path: z.string().describe('Path of the note, for example /notes/shopping.md.') }),
  run: ({ path }) => readNote(path),
});
