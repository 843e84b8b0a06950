import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cleanEnvironment, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';

const packages = join(import.meta.dirname, '../../../../packages');
const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);
const listing = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });

/** Bins of packages, with arguments that serve stdio. */
const BINS: readonly (readonly [string, string, readonly string[]])[] = [
  ['log-notify', join(packages, 'log-notify'), []],
  ['manictime', join(packages, 'manictime'), ['--demo']],
  ['notify-popup', join(packages, 'notify-popup'), []],
  ['todo', join(packages, 'todo'), []],
  ['ui-toast', join(packages, 'ui-toast'), []],
  ['aggregator', join(packages, '../apps/aggregator'), ['stdio', '--standalone']],
];

test.runIf(process.env['DESKSIDE_PROOF'] === '1').each(BINS)(
  "the Inspector's command line lists the tools of %s",
  async (name, folder, args) => {
    const bin = join(folder, 'dist/bin/cli.js');
    await using running = startProgram({
      command: process.execPath,
      args: [
        inspector,
        '--cli',
        process.execPath,
        bin,
        ...args,
        '--method',
        'tools/list',
        '--format',
        'json',
        '-q',
      ],
      env: cleanEnvironment(temporaryFolder()),
    });
    running.child.stdin.end();
    expect({ code: await running.exited, stderr: running.stderr() }).toMatchObject({ code: 0 });
    const { tools } = listing.parse(JSON.parse(running.stdout())).result;
    if (name === 'aggregator') expect(tools.map((tool) => tool.name)).toContain('todo_add_task');
    else {
      const expected = z
        .array(z.object({ name: z.string() }))
        .parse(JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8')));
      expect(tools.map((tool) => tool.name)).toStrictEqual(expected.map((tool) => tool.name));
    }
  },
);
