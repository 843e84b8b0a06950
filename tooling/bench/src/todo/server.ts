import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@deskside/core/testing';
import { cleanEnvironment, type Program, startProgram } from '@deskside/testkit';
import { httpClient } from '../request-cost/http-client.ts';

/** The built program over HTTP, as a user runs it. */
export interface TodoServer extends AsyncDisposable {
  readonly program: Program;
  /** A client with its own connection. Rejects if the tool reports an error. */
  client(): Promise<(tool: string, args: object) => Promise<void>>;
}

export async function startTodo(nodeOptions: readonly string[]): Promise<TodoServer> {
  const home = temporaryFolder();
  const token = randomBytes(32).toString('base64url');
  const program = startProgram({
    command: process.execPath,
    args: [...nodeOptions, bin(), '--http', '--port', '0'],
    env: {
      ...cleanEnvironment(home.path),
      DESKSIDE_TOKEN: token,
      TODO_DATABASE_URL: join(home.path, 'todo.sqlite'),
    },
  });
  const [, url = ''] = await program.printed(/serves MCP at (\S+)\n/);
  return {
    program,
    async client() {
      const call = await httpClient(url, token, 'modern');
      return async (tool, args) => {
        const result = await call('tools/call', { name: tool, arguments: { user_id: 'me', ...args } });
        if ('isError' in result && result.isError === true) {
          throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
        }
      };
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

function bin(): string {
  const manifest = createRequire(import.meta.url).resolve('@deskside/todo/package.json');
  return join(dirname(manifest), 'dist/bin/cli.js');
}
