import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { questions } from './confirm.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);

/** What a terminal with these rows and a pager that writes a file show. */
function shown(rows: number, isTTY: boolean, command: (file: string) => string) {
  const printed: string[] = [];
  const file = join(temporaryFolder(), 'paged');
  const context = {
    operands: [],
    env: { PAGER: command(file) },
    input: Readable.from([]),
    output: Object.assign(new Writable(), { isTTY, rows }),
    closed: new AbortController().signal,
    print: (line: string) => void printed.push(line),
    note: () => undefined,
    write: () => undefined,
  };
  questions(context, false).show(LINES);
  return { printed, paged: existsSync(file) ? readFileSync(file, 'utf8') : undefined };
}

const pager = (file: string) => `cat > "${file}"`;
const whole = `${LINES.join('\n')}\n`;

test.skipIf(process.platform === 'win32')(
  'more lines than a terminal has are shown in a pager, and printed if it fails',
  () => {
    expect(shown(10, true, pager)).toStrictEqual({ printed: [], paged: whole });
    expect(shown(30, true, pager)).toStrictEqual({ printed: LINES, paged: undefined });
    expect(shown(10, false, pager)).toStrictEqual({ printed: LINES, paged: undefined });
    expect(shown(10, true, () => '')).toStrictEqual({ printed: LINES, paged: undefined });
    expect(shown(10, true, () => 'exit 3')).toStrictEqual({ printed: LINES, paged: undefined });
  },
);
