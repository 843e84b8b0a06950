import { setTimeout as sleep } from 'node:timers/promises';
import { toolDefiner } from '@deskside/core';
import { z } from 'zod';

export const copyFiles = toolDefiner<{ readonly copied: string[] }>()({
  name: 'copy_files',
  title: 'Copy files',
  description: 'Copies files one by one.',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.object({ files: z.array(z.string()).describe('Paths, for example ["a.txt"].') }),
  output: z.object({ copied: z.int() }),
  async run({ files }, { copied }, { signal, progress, log }) {
    for (const [index, file] of files.entries()) {
      // Aborted if the client cancels the call, disconnects, or the server closes. Pass it to all that waits.
      await sleep(20, undefined, { signal });
      copied.push(file);
      log.debug('copied', { file });
      await progress(index + 1, files.length, file);
    }
    return { copied: files.length };
  },
});
