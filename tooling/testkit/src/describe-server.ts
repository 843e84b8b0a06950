import type { ServerDefinition } from '@deskside/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectInProcess, LEGS } from './connect.ts';
import { HOSTS, shownBy } from './hosts.ts';
import type { Peer } from './peer.ts';
import { schemaProblems } from './schema-problems.ts';

export interface Sample {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  /** Calls to make before, so that there is something to answer. */
  readonly before?: readonly { readonly tool: string; readonly args: Record<string, unknown> }[];
  /** What the model must be able to read in the answer, whichever host shows it. */
  readonly survives: readonly string[];
}

export interface ServerUnderTest extends AsyncDisposable {
  readonly definition: ServerDefinition;
}

export interface ServerContract {
  readonly name: string;
  /** A fresh one, on real dependencies. */
  readonly open: () => Promise<ServerUnderTest>;
  /** Where the listing is kept: `vitest -u` writes it, and a difference fails. */
  readonly toolsJson: string;
  /** Most tokens, at four bytes each, that listing and instructions may cost: a ratchet, not headroom. */
  readonly tokenBudget: number;
  readonly samples: readonly Sample[];
}

/** What every server of the family promises, seen through real clients of both eras on both transports. */
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

    test('lists complete tools, sorted by name', async () => {
      const tools = await peer.listTools();
      const names = tools.map((tool) => tool.name);
      expect(names.length).toBeGreaterThan(0);
      expect(names).toStrictEqual([...new Set(names)].toSorted());
      expect(tools.flatMap(schemaProblems)).toStrictEqual([]);
      expect(tools.filter((tool) => !/^[a-zA-Z0-9_-]{1,44}$/.test(tool.name))).toStrictEqual([]);
    });

    test('says how its tools work together', () => {
      expect(peer.instructions?.length).toBeGreaterThan(50);
    });

    test.each(samples)('$tool answers so that every kind of host shows it', async (sample) => {
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

    test('an unknown tool is a protocol error, and the next call is answered', async () => {
      await expect(peer.callTool('no_such_tool')).rejects.toThrow(/Unknown tool: no_such_tool/);
      expect((await peer.listTools()).length).toBeGreaterThan(0);
    });
  });

  describe(`${name}'s listing`, () => {
    test('is the published one, and within its token budget', async () => {
      await using server = await open();
      await using peer = await connectInProcess(server.definition, { era: 'modern', over: 'http' });
      const tools = await peer.listTools();
      await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot(toolsJson);
      const bytes = Buffer.byteLength(JSON.stringify(tools) + (peer.instructions ?? ''));
      expect(Math.ceil(bytes / 4)).toBeLessThanOrEqual(tokenBudget);
    });

    test('names tools by their names under a mount', async () => {
      await using server = await open();
      const view = { era: 'modern', toolName: (tool: string) => `mounted_${tool}` } as const;
      const tools = await server.definition.listTools(view);
      expect(tools.filter((tool) => !tool.name.startsWith('mounted_'))).toStrictEqual([]);
      const bare = tools.map((tool) => tool.name.slice('mounted_'.length));
      const texts = [
        server.definition.instructions(view.toolName) ?? '',
        ...tools.map((tool) => tool.description ?? ''),
      ];
      const named = texts.flatMap((text) =>
        bare.filter((tool) => new RegExp(`(?<![a-z_])${tool}(?![a-z_])`).test(text)),
      );
      expect(named.filter((tool) => tool.includes('_'))).toStrictEqual([]);
    });
  });
}
