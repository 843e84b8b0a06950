import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bundle } from '@deskside/checks/src/build/bundle.ts';
import { programOf, servers } from '@deskside/checks/src/workspace.ts';
import { unpreparedServer } from '@deskside/testkit/first-messages';
import type { Benchmark } from './benchmark.ts';
import { attachedClient, measureStarts } from './start.ts';
import { ratio, spreads } from './statistics.ts';

const ROUNDS = 25;
const bareServer = join(import.meta.dirname, 'bare-server');
const FIRST_ANSWERS_TARGET = 0.4;
/** Of bins without first answers. */
const TARGETS: Readonly<Record<string, number>> = { 'deskside-log-notify': 1.25 };

export const coldStart: Benchmark = {
  name: 'cold-start',
  title: 'Cold start',
  method: `The published bins, and a server with one tool on \`McpServer\`, each started ${ROUNDS} times in random order, in an empty home, until the result of \`tools/list\` over stdio (2025-11-25). CPU time of all threads.`,
  misses: {
    'deskside-log-notify to bare server, one tool, CPU':
      'it loads completely, as its list depends on its configuration',
  },
  async run() {
    await bundle(bareServer);
    const bare = { name: 'bare server, one tool', script: built(bareServer) };
    const bins = servers.map(({ directory }) => ({
      name: `deskside-${basename(directory)}`,
      script: built(directory),
    }));
    const desk = built('apps/aggregator');
    const args = ['stdio', '--standalone'];
    const aggregator = { name: 'deskside stdio --standalone', script: desk, args };
    const todo = built('packages/todo');
    const [script = '', ...unprepared] = unpreparedServer(dirname(todo));
    const firstCall = { name: 'list_tasks', arguments: { user_id: 'me' } };
    const call = { name: 'deskside-todo and a call', script: todo, firstCall };
    const server = { name: 'the same without first answers', script, args: unprepared, firstCall };
    // From the files of their packages, not from a bundle.
    const core = { name: 'core, installed', script: join(import.meta.dirname, 'cold-start/core.mjs') };
    const sdk = { name: 'the SDK, installed', script: join(import.meta.dirname, 'cold-start/sdk.mjs') };
    const all = [bare, ...bins, aggregator, attachedClient, call, server, core, sdk];
    const { cpu, wall, memory } = await measureStarts(ROUNDS, all);
    return {
      numbers: {
        ...spreads(cpu, 'CPU, ms'),
        ...spreads(wall, 'wall time, ms'),
        ...spreads(memory, 'memory, MB'),
      },
      ratios: [
        ...bins.map((bin) => ratio(cpu, [bin, bare], 'CPU', TARGETS[bin.name] ?? FIRST_ANSWERS_TARGET)),
        ratio(cpu, [aggregator, bare], 'CPU', 1.6),
        ratio(cpu, [call, server], 'CPU', 1.1),
        ratio(cpu, [core, sdk], 'CPU', 1.1),
      ],
    };
  },
};

/** @throws Error if a bin is not built */
function built(folder: string): string {
  const bin = programOf(folder);
  if (!existsSync(bin)) throw new Error(`${basename(folder)} has no bundled bin. Run \`pnpm build\` first.`);
  return bin;
}
