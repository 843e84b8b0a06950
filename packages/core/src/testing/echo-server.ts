import { z } from 'zod';
import type { ChangeFeed } from '../definition/change-feed.ts';
import { defineServer } from '../definition/define-server.ts';
import type { ServerDefinition } from '../definition/server.ts';
import { toolDefiner } from '../definition/tool.ts';

/** Lets a test see a call begin, end it, and see it aborted. */
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

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const defineTool = toolDefiner<Gate>();

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Answers what it was told, and by whom',
  hints,
  input: z.object({ text: z.string().describe('What to answer') }),
  output: z.object({ text: z.string(), user: z.string(), session: z.string() }),
  run: ({ text }, _, { principal, session }) => ({ text, user: principal.user, session }),
});

const wait = defineTool({
  name: 'wait',
  title: 'Wait',
  description: 'Answers when the test lets it',
  hints,
  input: z.object({}),
  async run(_, { entered, opened, aborted }, { signal }) {
    signal.addEventListener('abort', () => aborted.resolve());
    entered.resolve();
    await opened.promise;
    return 'done';
  },
});

const crash = defineTool({
  name: 'crash',
  title: 'Crash',
  description: 'Throws what no tool should',
  hints,
  input: z.object({}),
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
    resources: [
      { uri: 'echo://fixed', name: 'fixed', read: () => 'text' },
      {
        uri: 'echo://broken',
        name: 'broken',
        read: () => {
          throw new Error('secret');
        },
      },
    ],
    ...(changes === undefined ? {} : { changes }),
  });
}
