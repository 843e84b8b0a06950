import type { Incoming, Json } from './scripted.ts';

/** Where a server of the tests plays: a process of its own, or this one. */
export interface Stage {
  readonly pid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** To stdout. */
  print(text: string): void;
  exit(code: number): void;
}

const text = (value: unknown): Json => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
/** They claim to read only: calls of them ask no person. */
const tool = (name: string, more: Json = {}): Json => ({
  name,
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object' },
  ...more,
});

/** A server without a library. Each tool does what its name says. */
export function fakeBehavior(mode: string, stage: Stage): (message: Incoming) => void {
  const write = (message: Json) => stage.print(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const seen: string[] = [];
  const waiting = new Map<unknown, (result: Json) => void>();
  /** The names of the tools, by the ids of the calls. */
  const called = new Map<unknown, unknown>();
  let hasChanged = false;
  let lastQuestion = 0;

  function ask(method: string, params: Json): Promise<Json> {
    lastQuestion += 1;
    const id = `question-${lastQuestion}`;
    const { promise, resolve } = Promise.withResolvers<Json>();
    waiting.set(id, resolve);
    write({ id, method, params });
    return promise;
  }

  /** Says by a change of its list that it knows the new roots. */
  async function askAgain(): Promise<void> {
    seen.push(`roots ${JSON.stringify(await ask('roots/list', {}))}`);
    hasChanged = true;
    write({ method: 'notifications/tools/list_changed' });
  }

  const answers: Readonly<Record<string, (params: Json, id: string | number) => unknown>> = {
    echo: (params) => ({ ...text('hi'), zeta: 1, structuredContent: { params } }),
    pid: () => text(stage.pid),
    seen: () => text(seen),
    env: () => text(stage.env),
    fail: (_, id) => write({ id, error: { code: -32_002, message: 'not\u0000found', data: { why: [1] } } }),
    crash: () => stage.exit(3),
    never: () => undefined,
    late: (_, id) => void setTimeout(() => write({ id, result: text('late') }), 400),
    progress(params, id) {
      const progressToken = (params['_meta'] as Json | undefined)?.['progressToken'];
      for (const progress of [1, 'many', 2]) {
        write({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 2, message: `step ${progress}` },
        });
      }
      write({ id, result: text('done') });
    },
    async ask(_, id) {
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      const roots = await ask('roots/list', {});
      const form = await ask('elicitation/create', { message: 'Name?', requestedSchema });
      write({ id, result: text({ roots, form }) });
    },
  };

  const lists: Readonly<Record<string, (params: Json) => Json>> = {
    'tools/list': () => ({
      tools: [
        ...Object.keys(answers).map((name) => tool(name)),
        ...(hasChanged ? [tool('new')] : []),
        tool('view', { _meta: { ui: { resourceUri: 'ui://x' } } }),
      ],
    }),
    'resources/list': () => ({
      resources: [
        { uri: 'fake://a', name: 'a' },
        { uri: 'ui://toast/view', name: 'not mine' },
      ],
    }),
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: '{+uri}', name: 'all' }] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'from the fake' }] }),
    'resources/subscribe': () => ({}),
    'resources/unsubscribe': () => ({}),
  };

  function handle({ id, method, params = {}, result }: Incoming): void {
    if (method === undefined) {
      waiting.get(id)?.(result ?? {});
      return;
    }
    if (method === 'tools/call') called.set(id, params['name']);
    const cancelled = `${method} of ${String(called.get(params['requestId']))}: ${String(params['reason'])}`;
    seen.push(method === 'notifications/cancelled' ? cancelled : method);
    if (method === 'notifications/roots/list_changed') void askAgain();
    if (id === undefined) return;
    if (method === 'initialize') {
      const { protocolVersion } = params;
      const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };
      const serverInfo = { name: 'fake', version: '1' };
      write({ id, result: { protocolVersion, capabilities, serverInfo, instructions: 'Use\u202e it.' } });
      return;
    }
    const list = lists[method];
    if (list !== undefined) {
      write({ id, result: list(params) });
      return;
    }
    const answer = method === 'tools/call' ? answers[String(params['name'])] : undefined;
    if (answer === undefined) {
      write({ id, error: { code: -32_601, message: 'Method not found' } });
      return;
    }
    const direct = answer(params, id);
    if (typeof direct === 'object' && direct !== null && !(direct instanceof Promise)) {
      write({ id, result: direct });
    }
  }

  if (mode === 'dead') return () => stage.exit(1);
  return mode === 'slow' ? () => undefined : handle;
}
