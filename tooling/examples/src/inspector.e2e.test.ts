import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cleanEnvironment, startProgram, temporaryFolder } from '@deskside/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';

const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
);
const packages = join(import.meta.dirname, '../../../packages');
const servers = globSync('*/tools.json', { cwd: packages }).map((path) => dirname(path));
const ui = z.object({ visibility: z.array(z.string()).optional() });
const tool = z.object({ name: z.string(), _meta: z.object({ ui: ui.optional() }).optional() });
const listing = z.object({ result: z.object({ tools: z.array(tool) }) });
const namesOf = (tools: readonly z.output<typeof tool>[]) => tools.map(({ name }) => name);

test.runIf(process.env['DESKSIDE_PROOF'] === '1').each(servers)(
  "the Inspector's command line lists the tools of %s",
  async (name) => {
    const server = [process.execPath, join(packages, name, 'dist/bin/cli.js')];
    const request = ['--method', 'tools/list', '--format', 'json', '-q'];
    await using running = startProgram({
      command: process.execPath,
      args: [inspector, '--cli', ...server, ...request],
      env: cleanEnvironment(temporaryFolder()),
    });
    running.child.stdin.end();
    expect({ code: await running.exited, stderr: running.stderr() }).toMatchObject({ code: 0 });
    const { tools } = listing.parse(JSON.parse(running.stdout())).result;
    const expected = z
      .array(tool)
      .parse(JSON.parse(readFileSync(join(packages, name, 'tools.json'), 'utf8')));
    // The Inspector's command line has no views.
    const forModels = expected.filter(({ _meta: meta }) => !isDeepStrictEqual(meta?.ui?.visibility, ['app']));
    expect(namesOf(tools)).toStrictEqual(namesOf(forModels));
  },
);
