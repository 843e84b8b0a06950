import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle } from '@deskside/checks/src/build/bundle.ts';
import { unpreparedServer } from '@deskside/checks/src/build/first-answers.ts';
import { published, type WorkspacePackage } from '@deskside/checks/src/workspace.ts';
import type { Subject } from '../start.ts';

export interface Subjects {
  readonly bare: Subject;
  readonly bins: readonly Subject[];
  readonly aggregator: Subject;
  /** With a call, and the same without first answers. */
  readonly calls: Compared;
  /** From the files of their packages, not from a bundle. */
  readonly installed: Compared;
}

/** A subject and what it is compared with. */
type Compared = readonly [Subject, Subject];

const bareServer = join(import.meta.dirname, '../bare-server');
const isAggregator = ({ directory }: WorkspacePackage) => directory.includes('/apps/');

/** @throws Error if a bin is not built */
export async function coldStartSubjects(): Promise<Subjects> {
  await bundle(bareServer);
  const programs = published.filter(({ manifest }) => manifest.bin !== undefined);
  const aggregator = programs.find(isAggregator);
  if (aggregator === undefined) throw new Error('The aggregator is missing.');
  return {
    bare: { name: 'bare server, one tool', script: binOf(bareServer), args: [] },
    bins: programs
      .filter((program) => !isAggregator(program))
      .map(({ directory }) => ({
        name: `deskside-${basename(directory)}`,
        script: binOf(directory),
        args: [],
      })),
    aggregator: {
      name: 'deskside stdio --standalone',
      script: binOf(aggregator.directory),
      args: ['stdio', '--standalone'],
    },
    calls: callsOf(programs),
    installed: [
      { name: 'core, installed', script: join(import.meta.dirname, 'core.mjs'), args: [] },
      { name: 'the SDK, installed', script: join(import.meta.dirname, 'sdk.mjs'), args: [] },
    ],
  };
}

function callsOf(programs: readonly WorkspacePackage[]): Compared {
  const todo = programs.find(({ directory }) => basename(directory) === 'todo');
  if (todo === undefined) throw new Error('todo is missing.');
  const [script = '', ...args] = unpreparedServer(join(todo.directory, 'dist/bin'));
  const firstCall = { name: 'list_tasks', arguments: { user_id: 'me' } };
  return [
    { name: 'deskside-todo and a call', script: binOf(todo.directory), args: [], firstCall },
    { name: 'the same without first answers', script, args, firstCall },
  ];
}

function binOf(folder: string): string {
  const bin = join(folder, 'dist/bin/cli.js');
  if (!existsSync(bin)) throw new Error(`${basename(folder)} has no bundled bin. Run \`pnpm build\` first.`);
  return bin;
}
