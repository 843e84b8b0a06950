import { z } from 'zod';
import type { ChangeFeed } from '../definition/changes.ts';
import { defineServer, type ServerDefinition } from '../definition/server.ts';
import { toolDefiner } from '../definition/tool.ts';
import { described } from './described.ts';

/** Lets a test wait until a call starts, let it finish, and wait until it is aborted. */
export interface Gate {
  readonly entered: PromiseWithResolvers<void>;
  readonly opened: PromiseWithResolvers<void>;
  readonly aborted: PromiseWithResolvers<void>;
}

export function gate(): Gate {
  return {
    entered: Promise.withResolvers(),
    opened: Promise.withResolvers(),
    aborted: Promise.withResolvers(),
  };
}

const defineTool = toolDefiner<Gate>();

const echo = defineTool({
  ...described('echo'),
  input: z.object({ text: z.string().describe('The text to repeat') }),
  output: z.object({ text: z.string(), user: z.string(), session: z.string().optional() }),
  run: ({ text }, _, { caller: { principal, session } }) => ({
    text,
    user: principal.user,
    ...(session === undefined ? {} : { session }),
  }),
});

const wait = defineTool({
  ...described('wait'),
  async run(_, { entered, opened, aborted }, { signal }) {
    signal.addEventListener('abort', () => aborted.resolve());
    entered.resolve();
    await opened.promise;
    return 'done';
  },
});

const crash = defineTool({
  ...described('crash'),
  run: () => {
    throw new Error('secret path /etc/shadow');
  },
});

export function echoServer(deps: Gate = gate(), changes?: ChangeFeed): ServerDefinition {
  return defineServer({
    name: 'echo',
    version: '1.0.0',
    deps,
    tools: [echo, wait, crash],
    resources: [{ uri: 'echo://fixed', name: 'fixed', read: () => 'text' }],
    ...(changes === undefined ? {} : { changes }),
  });
}
