import { readFile } from 'node:fs/promises';
import { type CodedFailure, type FixedFailure, toolDefiner } from '@deskside/core';
import {
  blocksOf,
  ERROR_CODES,
  errnoOf,
  identityName,
  messageOf,
  textOf,
  UserError,
} from '@deskside/core/errors';
import { z } from 'zod';

/** Domain code throws `UserError` itself: a tool needs no `catch`. */
export async function readNote(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      const failure: CodedFailure = {
        error: 'The note does not exist.',
        code: 'NOT_FOUND',
        hint: (toolName) => `List the notes with ${toolName('list_notes')}.`,
      };
      throw new UserError(failure, { cause: error });
    }
    throw new UserError({
      error: `The note cannot be read: ${messageOf(error)}`,
      code: 'UNAVAILABLE',
      hint: ERROR_CODES.UNAVAILABLE,
    });
  }
}

/** For a contract that fixes the words of an error. */
const locked: FixedFailure = { exactly: 'Note is locked', next: 'Ask its owner to unlock it.' };

export const readNoteTool = toolDefiner<null>()({
  name: 'read_note',
  title: 'Read a note',
  description: 'Returns the text of a note.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ path: z.string().describe('Path of the note, for example /notes/shopping.md.') }),
  run({ path }) {
    if (path.endsWith('.locked')) throw new UserError(locked);
    return readNote(path);
  },
});

/** For a program instead of a tool: one line. */
export function describe(error: unknown): string {
  return UserError.is(error) ? error.sentence() : messageOf(error);
}

/** For another protocol than MCP: the text blocks, and the hint alone. */
export function forHttp(error: UserError): { readonly lines: readonly string[]; readonly hint: string } {
  const { failure } = error;
  const hint = 'hint' in failure ? textOf(failure.hint, identityName) : '';
  return { lines: blocksOf(failure, identityName), hint };
}
