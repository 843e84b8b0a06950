import type { CommandContext } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';

/**
 * Asks the person at the terminal. The end of the input means no.
 *
 * @throws StartError if stdout is not a terminal
 */
export async function confirm(question: string, { input, output }: CommandContext): Promise<boolean> {
  if (output.isTTY !== true) {
    throw new StartError('Nothing was changed. Run it in a terminal, or pass --yes.');
  }
  output.write(`${question} [y/N] `);
  let typed = '';
  for await (const chunk of input) {
    typed += String(chunk);
    if (typed.includes('\n')) break;
  }
  return /^y(es)?$/i.test(typed.split('\n')[0]?.trim() ?? '');
}
