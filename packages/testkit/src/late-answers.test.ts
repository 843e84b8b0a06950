import { acceptedContent, createLog, defineServer, inputRequired, toolDefiner } from '@deskside/core';
import { serve, type ServeOptions } from '@deskside/core/serving';
import { firstText } from '@deskside/core/testing';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

const form = z.object({ ok: z.boolean() });
const ACCEPT: ElicitResult = { action: 'accept', content: { ok: true } };
const DECLINE: ElicitResult = { action: 'decline' };

/** What the person allowed, in all processes of a test. */
type Allowed = string[];

const act = toolDefiner<Allowed>()({
  name: 'act',
  title: 'Act',
  description: 'Does what the person allows',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  input: z.object({ what: z.string() }),
  run({ what }, allowed, { input }) {
    const [answer] = Object.values(input.responses ?? {});
    if (answer === undefined) {
      const ask = inputRequired.elicit({ message: `May I ${what}?`, requestedSchema: form });
      return inputRequired({ inputRequests: { ask } });
    }
    if (acceptedContent(input.responses, 'ask', form)?.ok !== true) return `refused: ${what}`;
    allowed.push(what);
    return `done: ${what}`;
  },
});

/** One process of a server. All have the same secret. */
async function start(allowed: Allowed, options: Partial<ServeOptions> = {}) {
  const lines: string[] = [];
  const definition = defineServer({ name: 'act', version: '1.0.0', deps: allowed, tools: [act] });
  const serving = await serve(definition, {
    log: createLog({ level: 'info', write: (line) => lines.push(line) }),
    ownsProcess: false,
    http: { port: 0, auth: 'none' },
    secret: 'the secret of all processes',
    ...options,
  });
  onTestFinished(() => serving.close());
  const ignored = () => lines.filter((line) => line.includes('answer ignored'));
  return { url: new URL(serving.url ?? ''), ignored };
}

interface Route {
  readonly url: URL;
  /** Aborted when the process is killed: it ends the connections. */
  readonly killed?: AbortSignal;
}

/** A v1 client whose person answers when the test says so. */
async function connect(route: (body: string) => Route) {
  /** Ids of the forms by what they ask for. */
  const forms = new Map<string, string | number>();
  const withdrawn: string[] = [];
  /** The statuses of the answers to questions. */
  const statuses: number[] = [];
  let initializations = 0;
  const client = new Client({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }, { requestId, signal }) => {
    forms.set(params.message, requestId);
    signal.addEventListener('abort', () => withdrawn.push(params.message));
    return Promise.withResolvers<ElicitResult>().promise;
  });
  const transport = new StreamableHTTPClientTransport(new URL('http://server.invalid/mcp'), {
    fetch: async (_, init) => {
      const body = typeof init?.body === 'string' ? init.body : '';
      if (body.includes('"initialize"')) initializations += 1;
      const { url, killed } = route(body);
      const signals = [init?.signal, killed].filter((signal) => signal instanceof AbortSignal);
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      if (body.includes('"action"')) statuses.push(response.status);
      return response;
    },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    statuses,
    initializations: () => initializations,
    /** @returns the text of the answer, or of the error */
    call: async (what: string, timeout = 30_000) => {
      try {
        const result = await client.callTool({ name: 'act', arguments: { what } }, undefined, { timeout });
        return firstText(result as unknown as CallToolResult);
      } catch (error) {
        return String(error);
      }
    },
    asked: (what: string) => expect.poll(() => forms.has(`May I ${what}?`)).toBe(true),
    /** Sends the answer, also if the form was withdrawn meanwhile. */
    answer: (what: string, result: ElicitResult) =>
      transport.send({ jsonrpc: '2.0', id: forms.get(`May I ${what}?`) ?? '', result }),
    withdrawn,
  };
}

test('after a restart a yes to an earlier question allows nothing, and the session continues', async () => {
  const allowed: Allowed = [];
  const [before, after] = [await start(allowed), await start(allowed)];
  const kill = new AbortController();
  let current: Route = { url: before.url, killed: kill.signal };
  const person = await connect(() => current);
  void person.call('read the calendar');
  await person.asked('read the calendar');
  current = { url: after.url };
  kill.abort();

  const deleted = person.call('delete the disk');
  await person.asked('delete the disk');
  await person.answer('read the calendar', ACCEPT);
  expect(allowed).toEqual([]);
  expect(after.ignored()).toHaveLength(1);
  await person.answer('delete the disk', DECLINE);
  expect(await deleted).toBe('refused: delete the disk');
  expect(allowed).toEqual([]);
  expect(person.statuses).toEqual([202, 202]);
  expect(person.initializations()).toBe(1);
});

test('a yes to a question that was withdrawn allows nothing, and the session continues beside another one', async () => {
  const allowed: Allowed = [];
  const server = await start(allowed, { limits: { sessionsPerPrincipal: 1 } });
  const person = await connect(() => server);
  expect(await person.call('read the calendar', 300)).toContain('timed out');
  await expect.poll(() => person.withdrawn).toEqual(['May I read the calendar?']);
  const other = await connect(() => server);
  await other.client.ping();

  const deleted = person.call('delete the disk');
  await person.asked('delete the disk');
  await person.answer('read the calendar', ACCEPT);
  await person.answer('delete the disk', DECLINE);
  expect(await deleted).toBe('refused: delete the disk');
  expect(allowed).toEqual([]);
  expect(person.statuses).toEqual([202, 202]);
  expect(person.initializations()).toBe(1);
});

test('of two processes behind a load balancer neither takes the answer to a question of the other', async () => {
  const allowed: Allowed = [];
  const [one, two] = [await start(allowed), await start(allowed)];
  /** The answers go to the wrong process, until the balancer sends them to the right one. */
  let isCrossed = true;
  const person = await connect((body) => {
    const isForOne = body.includes('read the calendar') || (body.includes('"accept"') && !isCrossed);
    const isCrossedDecline = body.includes('"decline"') && isCrossed;
    return isForOne || isCrossedDecline ? one : two;
  });
  const read = person.call('read the calendar', 1000);
  const deleted = person.call('delete the disk');
  await person.asked('read the calendar');
  await person.asked('delete the disk');
  await person.answer('read the calendar', ACCEPT);
  expect(allowed).toEqual([]);
  expect(two.ignored()).toHaveLength(1);
  isCrossed = false;
  await person.answer('delete the disk', DECLINE);
  expect(await deleted).toBe('refused: delete the disk');
  expect(await read).toContain('timed out');
  expect(allowed).toEqual([]);
  expect(person.statuses).toEqual([202, 202]);
  expect(person.initializations()).toBe(1);
});
