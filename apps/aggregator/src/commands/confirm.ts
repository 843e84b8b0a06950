import { spawnSync } from 'node:child_process';
import type { CommandContext } from '@deskside/core/cli';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';

/** For commands that ask. */
export const yesFlag = {
  yes: z.boolean().default(false).meta({ short: 'y', description: 'Do not ask. For scripts.' }),
};

/** Asks the person at the terminal; disposed of, it leaves the input to others. */
export interface Questions extends AsyncDisposable {
  /**
   * The end of the input means no.
   *
   * @throws StartError if stdout is not a terminal
   */
  confirm(question: string): Promise<boolean>;
  /** Prints lines; more than the terminal has in a pager. */
  show(lines: readonly string[]): void;
}

/** @param yes answers every question with yes and asks nothing */
export function questions({ input, output, print, env }: CommandContext, yes: boolean): Questions {
  let chunks: AsyncIterator<string | Uint8Array> | undefined;
  let typed = '';
  async function line(): Promise<string> {
    // `for await` would close the input after the first answer.
    chunks ??= input[Symbol.asyncIterator]();
    while (!typed.includes('\n')) {
      const { done, value } = await chunks.next();
      if (done === true) break;
      typed += String(value);
    }
    const [first = '', ...rest] = typed.split('\n');
    typed = rest.join('\n');
    return first.trim();
  }
  return {
    async confirm(question) {
      if (yes) return true;
      if (output.isTTY !== true) {
        throw new StartError('Nothing was changed. Run it in a terminal, or pass --yes.');
      }
      output.write(`${question} [y/N] `);
      return /^y(es)?$/i.test(await line());
    },
    show(lines) {
      const rows = yes || output.isTTY !== true ? Infinity : rowsOf(output);
      if (lines.length < rows || !isPaged(lines, env['PAGER'] ?? 'less'))
        for (const line of lines) print(line);
    },
    async [Symbol.asyncDispose]() {
      await chunks?.return?.();
    },
  };
}

/** Waits for the end of the pager, without which this process would take keys from it. */
function isPaged(lines: readonly string[], pager: string): boolean {
  const { status } = spawnSync(pager, {
    shell: true,
    input: `${lines.join('\n')}\n`,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  return status === 0;
}

/** Of a terminal. */
function rowsOf(output: object): number {
  return 'rows' in output && typeof output.rows === 'number' ? output.rows : Infinity;
}
