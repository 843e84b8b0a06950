import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '@deskside/testkit';
import { type Dialect, DIALECTS, type Json, type SeenTool, type Turn } from './dialects.ts';

/** A call that the model makes. */
export interface Step {
  /** As the desk names it: hosts add prefixes. */
  readonly tool: string;
  readonly args: Json;
}

/** What the model read after a step, as JSON. */
export interface Got extends Step {
  readonly result: string;
  readonly seconds: number;
}

/** What a host has sent to its model. */
export interface Conversation {
  /** The first request with tools, and its time. */
  first: { readonly at: number; readonly body: string; readonly tools: readonly SeenTool[] } | undefined;
  readonly got: Got[];
  /** Steps whose tool the host did not offer. */
  readonly missing: Step[];
}

/** Tools of hosts that list others by name only, and the tool that then calls what was found, if it is not listed. */
export const SEARCHES: Readonly<Record<string, string>> = { ToolSearch: '', tool_search: 'tool_call' };

/**
 * A model on the loopback address that makes the calls of a script, one per turn, in whatever dialect it is asked.
 *
 * @param isPatient a tool that the host does not offer may come with a later prompt
 */
export async function scriptedModel(script: readonly Step[], isPatient = false) {
  const conversation: Conversation = { first: undefined, got: [], missing: [] };
  const steps = [...script];
  let turns = 0;
  let hasSearched = false;
  let running: { readonly step: Step; readonly id: string; readonly at: number } | undefined;

  function nextTurn(tools: readonly SeenTool[]): Turn {
    const id = `call_${(turns += 1)}`;
    for (let [step] = steps; step !== undefined; [step] = steps) {
      const { tool: name, args } = step;
      const deferred = `mcp__deskside__${name}`;
      const listed = tools.find((tool) => tool.name.endsWith(name));
      const search = tools.find((tool) => Object.hasOwn(SEARCHES, tool.name));
      if (listed === undefined && search !== undefined && !hasSearched) {
        hasSearched = true;
        return { id, tool: search, args: { query: `select:${deferred}` } };
      }
      const caller = hasSearched
        ? tools.find((tool) => tool.name === SEARCHES[search?.name ?? ''])
        : undefined;
      hasSearched = false;
      if (listed === undefined && caller === undefined && isPatient) return 'Not yet.';
      steps.shift();
      if (listed !== undefined || caller !== undefined) running = { step, id, at: performance.now() };
      if (listed !== undefined) return { id, tool: listed, args };
      if (caller !== undefined) return { id, tool: caller, args: { name: deferred, arguments: args } };
      conversation.missing.push(step);
    }
    return 'Done.';
  }

  function answer(dialect: Dialect, body: Json, raw: string): Turn {
    const tools = dialect.tools(body);
    // Side requests, such as one for a title, have no tools or one for their answer.
    if (tools.length < 2) return 'Bench';
    conversation.first ??= { at: Date.now(), body: raw, tools };
    if (running !== undefined) {
      const { step, id, at } = running;
      const result = JSON.stringify(dialect.result(body, id) ?? null);
      conversation.got.push({ ...step, result, seconds: Math.round((performance.now() - at) / 1000) });
      running = undefined;
    }
    return nextTurn(tools);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const raw = await text(request);
    const dialect = DIALECTS.find(({ path }) => path.test(pathname));
    const respond = (status: number, json: Json) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
    // Lists of models and counts of tokens, which hosts can do without.
    if (dialect === undefined) return respond(404, { error: { message: 'not here' } });
    const body = JSON.parse(raw) as Json;
    const turn = answer(dialect, body, raw);
    const hasEvents = body['stream'] === true || pathname.includes('stream');
    if (!hasEvents && typeof turn === 'string' && dialect.whole !== undefined) {
      return respond(200, dialect.whole(turn));
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const event of dialect.events(turn)) {
      const { type } = event;
      const name = typeof type === 'string' ? `event: ${type}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    return response.end(pathname.endsWith('completions') ? 'data: [DONE]\n\n' : '');
  }

  const server = await listen((request, response) => void serve(request, response));
  return { ...server, url: server.origin, conversation };
}
