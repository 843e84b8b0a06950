import { defineServer, promptDefiner, type ServerDefinition, type Tool, toolDefiner } from '@deskside/core';
import { described } from '@deskside/core/testing/described';
import { z } from 'zod';
import type { StartTimer } from '../mounts/timer.ts';

/** A tool without arguments that returns a fixed answer. */
export function fixedTool(name: string, answer: string): Tool<null> {
  return toolDefiner<null>()({ ...described(name), run: () => answer });
}

/** A server with a tool, a prompt, a resource and a template whose answers contain its name. */
export function namedServer(
  name: string,
  tools: readonly Tool<null>[] = [fixedTool('ping', name)],
): ServerDefinition {
  const greet = promptDefiner<null>()({
    name: 'greet',
    title: 'Greet',
    description: 'Greets',
    arguments: z.object({ whom: z.string() }),
    complete: { whom: (typed) => [`${typed} of ${name}`] },
    run: ({ whom }, _, ctx) => `${name} greets ${whom} with ${ctx.toolName('ping')}`,
  });
  return defineServer({
    name,
    version: '1.0.0',
    deps: null,
    tools,
    prompts: [greet],
    resources: [{ uri: `${name}://text`, name: 'text', read: () => `text of ${name}` }],
    templates: [
      {
        uriTemplate: `${name}://items/{id}`,
        name: 'items',
        read: ({ id }) => `item ${String(id)} of ${name}`,
      },
    ],
  });
}

/** Rings after everything that answers without I/O has answered. */
export const impatientTimer: StartTimer = (_, ring) => {
  const immediate = setImmediate(ring);
  return () => clearImmediate(immediate);
};
