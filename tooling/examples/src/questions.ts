import { acceptedContent, inputRequired, inputResponse, toolDefiner } from '@deskside/core';
import { z } from 'zod';

const confirmation = z.object({ confirm: z.boolean().describe('Delete it?') });

export const deleteFile = toolDefiner<{ readonly remove: (name: string) => void }>()({
  name: 'delete_file',
  title: 'Delete a file',
  description: 'Deletes a file after the user has confirmed it.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.object({ name: z.string().describe('Name of the file, for example old.txt.') }),
  run({ name }, { remove }, { input }) {
    if (inputResponse(input.responses, 'sure').kind === 'missing') {
      // First round: ask. The call runs again with the answer in `input.responses`.
      const sure = inputRequired.elicit({ message: `Delete ${name}?`, requestedSchema: confirmation });
      return inputRequired({ inputRequests: { sure } });
    }
    // Undefined if the user declined or cancelled, or if the answer does not match the schema.
    if (acceptedContent(input.responses, 'sure', confirmation)?.confirm !== true) return 'The file stays.';
    remove(name);
    return `Deleted ${name}.`;
  },
});
