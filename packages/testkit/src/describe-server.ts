import type { ServerDefinition } from '@deskside/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectInProcess, LEGS, type Peer } from './connect.ts';
import { bareNames, HOSTS, shownBy } from './hosts.ts';
import type { Tool } from '@modelcontextprotocol/client';

export interface Sample {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Calls that create the data for the result. */
  readonly before?: readonly { readonly tool: string; readonly args: Record<string, unknown> }[];
  /** Texts that the model must see in every kind of host. */
  readonly survives: readonly string[];
}

export interface ServerUnderTest extends AsyncDisposable {
  readonly definition: ServerDefinition;
}

export interface ServerContract {
  readonly name: string;
  /** Opens a new server with real dependencies. */
  readonly open: () => Promise<ServerUnderTest>;
  /** File with the listing: `vitest -u` writes it, and a difference fails. */
  readonly toolsJson: string;
  /** Maximum tokens of listing and instructions, at four bytes each. */
  readonly tokenBudget: number;
  readonly samples: readonly Sample[];
}

/** The contract of every server, tested with real clients of both eras on both transports. */
export function describeServer({ name, open, toolsJson, tokenBudget, samples }: ServerContract): void {
  describe.each(LEGS)(`${name} in the $era era over $over`, (leg) => {
    let server: ServerUnderTest;
    let peer: Peer;
    beforeAll(async () => {
      server = await open();
      peer = await connectInProcess(server.definition, leg);
    });
    afterAll(async () => {
      await peer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });

    test('lists complete tools, each once', async () => {
      const tools = await peer.listTools();
      const names = tools.map((tool) => tool.name);
      expect(names.length).toBeGreaterThan(0);
      expect(names).toStrictEqual([...new Set(names)]);
      expect(tools.flatMap(schemaProblems)).toStrictEqual([]);
      expect(tools.filter((tool) => !/^[a-zA-Z0-9_-]{1,44}$/.test(tool.name))).toStrictEqual([]);
    });

    test('has instructions', () => {
      expect(peer.instructions?.length).toBeGreaterThan(50);
    });

    test.each(samples)('$tool returns a result that every kind of host shows', async (sample) => {
      for (const { tool, args } of sample.before ?? []) await peer.callTool(tool, args);
      const answer = await peer.callTool(sample.tool, sample.args);
      expect(answer.isError ?? false).toBe(false);
      for (const host of HOSTS) {
        const shown = shownBy(host, answer);
        for (const needle of sample.survives) expect(shown, host).toContain(needle);
      }
      const [first] = answer.content;
      const structured = answer.structuredContent;
      if (structured !== undefined) {
        expect(first).toStrictEqual({ type: 'text', text: JSON.stringify(structured) });
      }
    });
  });

  describe(`${name}'s listing`, () => {
    test('equals tools.json and is within its token budget', async () => {
      await using server = await open();
      // With the tools for views only.
      const capabilities = { extensions: { 'io.modelcontextprotocol/ui': {} } };
      await using peer = await connectInProcess(server.definition, {
        era: 'modern',
        over: 'http',
        capabilities,
      });
      const tools = await peer.listTools();
      await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot(toolsJson);
      const bytes = Buffer.byteLength(JSON.stringify(tools) + (peer.instructions ?? ''));
      expect(Math.ceil(bytes / 4)).toBeLessThanOrEqual(tokenBudget);
    });

    test('contains tool names with the prefix of a mount', async () => {
      await using server = await open();
      const view = {
        era: 'modern',
        toolName: (tool: string) => `mounted_${tool}`,
        principal: { user: 'owner' },
      } as const;
      const tools = await server.definition.listTools(view);
      expect(tools.filter((tool) => !tool.name.startsWith('mounted_'))).toStrictEqual([]);
      const bare = tools.map((tool) => tool.name.slice('mounted_'.length));
      const texts = [
        server.definition.instructions(view.toolName) ?? '',
        ...tools.map((tool) => tool.description ?? ''),
      ];
      expect(texts.flatMap((text) => bareNames(text, bare))).toStrictEqual([]);
    });
  });
}

const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', '$ref'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Problems of a tool's listing for hosts or models, one sentence each. */
function schemaProblems({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Tool): string[] {
  return [
    ...(title === undefined || title === name ? [`${name} has no title`] : []),
    ...(description === undefined || description.length < 10 ? [`${name} has no description`] : []),
    ...HINTS.filter((hint) => typeof annotations?.[hint] !== 'boolean').map(
      (hint) => `${name} lacks ${hint}`,
    ),
    ...[inputSchema, outputSchema].flatMap((schema) => topLevelProblems(name, schema)),
    ...Object.entries(inputSchema.properties ?? {})
      .filter(([, property]) => !isDescribed(property))
      .map(([property]) => `${name}: ${property} is not described`),
  ];
}

function topLevelProblems(name: string, schema: Record<string, unknown> | undefined): string[] {
  if (schema === undefined) return [];
  return [
    ...COMBINATORS.filter((key) => key in schema).map((key) => `${name}: ${key} at the top of a schema`),
    ...('$schema' in schema ? [`${name}: a dialect that some hosts refuse`] : []),
  ];
}

function isDescribed(property: unknown): boolean {
  return typeof property === 'object' && property !== null && 'description' in property;
}
