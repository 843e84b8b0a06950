import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Awaitable, RequestContext } from '../definition/context.ts';
import { promptDefiner } from '../definition/prompt.ts';
import { defineServer, type ServerDefinition, type ServerSpec } from '../definition/server.ts';
import { type Tool, toolDefiner } from '../definition/tool.ts';
import { createLog } from '../log.ts';
import { annotations, described } from './described.ts';
import { connectWire, type WireClient, type WireHello, type WireLeg } from './wire.ts';

/** A server without name, version and dependencies. */
export type Spec = Omit<ServerSpec<undefined>, 'name' | 'version' | 'deps'>;

/** Serves what a spec offers and connects to it; the test's end closes both. */
export async function connectTo(
  spec: Spec,
  leg: WireLeg,
  write?: (line: string) => void,
  says?: WireHello,
): Promise<WireClient> {
  const definition = defineServer({ name: 'surface', version: '1', deps: undefined, ...spec });
  const log = write === undefined ? undefined : createLog({ level: 'debug', write });
  const client = await connectWire(definition, leg, log, says);
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

export const MODERN = { era: 'modern', over: 'http', stateless: false } as const;
export const LEGACY = { era: 'legacy', over: 'http', stateless: false } as const;

export const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png' }];
export const meta = { 'example/key': 1 };

export const defineTool = toolDefiner<undefined>();
export const tool = (name: string): Tool<undefined> =>
  defineTool({
    name,
    title: `Tool ${name}`,
    description: 'Answers with its request',
    annotations,
    input: z.object({}),
    icons,
    meta,
    run: (_, __, ctx) => JSON.stringify({ name, meta: ctx.meta, user: ctx.principal.user }),
  });

type Run = (ctx: RequestContext, args: Readonly<Record<string, unknown>>) => Awaitable<string>;

/** A server with one tool. */
export function serverOf(name: string, run: Run): ServerDefinition {
  const only = defineTool({
    ...described(name),
    input: z.looseObject({}),
    run: (args, _, ctx) => run(ctx, args),
  });
  return defineServer({ name, version: '1.0.0', deps: undefined, tools: [only] });
}

export const prompt = promptDefiner<undefined>()({
  name: 'ask',
  title: 'Ask',
  description: 'Asks',
  arguments: z.object({
    topic: z.string().meta({ title: 'Topic', description: 'What to ask about' }).optional(),
    tone: z.string().optional().describe('How to ask'),
    count: z.coerce.number(),
  }),
  icons,
  meta,
  run: () => 'text',
});

export const resource = (uri: string) => ({ uri, name: uri, read: () => 'text' });
export const names = (count: number) => Array.from({ length: count }, (_, index) => `t${index + 1}`);
