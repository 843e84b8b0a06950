import { acceptedContent, inputRequired, inputResponse, toolDefiner } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import { z } from 'zod';

const confirmation = z.object({ confirm: z.boolean().describe('Delete it?') });
const sealedState = z.object({ askedAt: z.iso.datetime() });

export interface Files {
  readonly now: () => Date;
  readonly remove: (name: string) => void;
}

export const deleteFile = toolDefiner<Files>()({
  name: 'delete_file',
  title: 'Delete a file',
  description: 'Deletes a file after the user has confirmed it.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ name: z.string().describe('Name of the file, for example old.txt.') }),
  async run({ name }, { now, remove }, { input }) {
    if (input.capabilities.elicitation === undefined) {
      throw new UserError({
        error: 'This client cannot ask the user.',
        code: 'UNAVAILABLE',
        hint: 'Delete the file by hand.',
      });
    }
    const answer = inputResponse(input.responses, 'sure');
    if (answer.kind === 'missing') {
      // First round: ask. The call runs again with the answer in `input.responses`.
      return inputRequired({
        inputRequests: {
          sure: inputRequired.elicit({ message: `Delete ${name}?`, requestedSchema: confirmation }),
        },
        requestState: await input.seal({ askedAt: now().toISOString() }),
      });
    }
    const { askedAt } = sealedState.parse(input.state());
    // Undefined if the user declined or cancelled, or if the answer does not match the schema.
    const accepted = acceptedContent(input.responses, 'sure', confirmation);
    if (accepted?.confirm !== true) return 'The file stays.';
    remove(name);
    return `Deleted ${name}, asked at ${askedAt}.`;
  },
});
