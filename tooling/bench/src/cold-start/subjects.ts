import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bundle } from '@deskside/checks/src/build/bundle.ts';
import { programOf, servers } from '@deskside/checks/src/workspace.ts';
import { unpreparedServer } from '@deskside/testkit/first-messages';
import type { Subject } from '../start.ts';

const bareServer = join(import.meta.dirname, '../bare-server');
const local = (file: string) => join(import.meta.dirname, file);

/** @throws Error if a bin is not built */
export async function coldStartSubjects() {
  await bundle(bareServer);
  const todo = built('packages/todo');
  const [unprepared = '', ...args] = unpreparedServer(dirname(todo));
  const firstCall = { name: 'list_tasks', arguments: { user_id: 'me' } };
  return {
    bare: { name: 'bare server, one tool', script: built(bareServer) },
    bins: servers.map(({ directory }): Subject => ({
      name: `deskside-${basename(directory)}`,
      script: built(directory),
    })),
    aggregator: {
      name: 'deskside stdio --standalone',
      script: built('apps/aggregator'),
      args: ['stdio', '--standalone'],
    },
    /** With a call, and the same without first answers. */
    calls: [
      { name: 'deskside-todo and a call', script: todo, firstCall },
      { name: 'the same without first answers', script: unprepared, args, firstCall },
    ],
    /** From the files of their packages, not from a bundle. */
    installed: [
      { name: 'core, installed', script: local('core.mjs') },
      { name: 'the SDK, installed', script: local('sdk.mjs') },
    ],
  } as const satisfies Readonly<Record<string, Subject | readonly Subject[]>>;
}

function built(folder: string): string {
  const bin = programOf(folder);
  if (!existsSync(bin)) throw new Error(`${basename(folder)} has no bundled bin. Run \`pnpm build\` first.`);
  return bin;
}
