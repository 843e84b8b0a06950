export type Json = Readonly<Record<string, unknown>>;

/** One tool as the model gets it. */
export interface SeenTool {
  readonly name: string;
  /** Of a host that groups tools. */
  readonly namespace: string | undefined;
  /** Of its JSON. */
  readonly bytes: number;
}

/** A tool call of the model, or its last text. */
export type Turn = { readonly id: string; readonly tool: SeenTool; readonly args: Json } | string;

/** How hosts and a kind of model talk. */
export interface Dialect {
  readonly path: RegExp;
  tools(body: Json): readonly SeenTool[];
  /** What the model reads as the result of a call. */
  result(body: Json, id: string): unknown;
  /** Server-sent events. */
  events(turn: Turn): readonly Json[];
  /** The answer to a request that asks for no events. */
  whole?(text: string): Json;
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function seen(tool: Json, namespace?: string): SeenTool {
  const bytes = Buffer.byteLength(JSON.stringify(tool));
  return { name: String(tool['name'] ?? tool['type']), namespace, bytes };
}

const usage = { input_tokens: 10, output_tokens: 10 };
const claude = { id: 'msg_1', type: 'message', role: 'assistant', model: 'bench', usage };

const messages: Dialect = {
  path: /\/v1\/messages$/,
  tools: (body) => list(body['tools']).map((tool) => seen(tool)),
  result: (body, id) =>
    list(body['messages'])
      .flatMap(({ content }) => list(content))
      .find(({ tool_use_id: of }) => of === id)?.['content'],
  events(turn) {
    const [block, delta, stop_reason] =
      typeof turn === 'string'
        ? [{ type: 'text', text: '' }, { type: 'text_delta', text: turn }, 'end_turn']
        : [
            { type: 'tool_use', id: turn.id, name: turn.tool.name, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(turn.args) },
            'tool_use',
          ];
    return [
      { type: 'message_start', message: { ...claude, content: [] } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason }, usage },
      { type: 'message_stop' },
    ];
  },
  whole: (text) => ({ ...claude, content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
};

const responses: Dialect = {
  path: /\/responses$/,
  tools: (body) =>
    list(body['tools']).flatMap((tool) =>
      tool['type'] === 'namespace'
        ? list(tool['tools']).map((each) => seen(each, String(tool['name'])))
        : [seen(tool)],
    ),
  result: (body, id) =>
    list(body['input']).find(({ type, call_id: of }) => type === 'function_call_output' && of === id)?.[
      'output'
    ],
  events(turn) {
    const item =
      typeof turn === 'string'
        ? {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text: turn, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: `fc_${turn.id}`,
            call_id: turn.id,
            name: turn.tool.name,
            namespace: turn.tool.namespace,
            arguments: JSON.stringify(turn.args),
          };
    const response = {
      id: 'resp_1',
      object: 'response',
      model: 'bench',
      output: [item],
      usage: { ...usage, total_tokens: 20 },
    };
    return [
      { type: 'response.created', response: { ...response, output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
  },
};

const chatUsage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

const chat: Dialect = {
  path: /\/chat\/completions$/,
  tools: (body) => list(body['tools']).map((tool) => seen(tool['function'] as Json)),
  result(body, id) {
    const all = list(body['messages']);
    const at = all.findIndex(({ tool_call_id: of }) => of === id);
    // Some hosts send images in a message after the result.
    const later = all.slice(at + 1).filter((message) => JSON.stringify(message).includes('image_url'));
    return at === -1 ? undefined : [all[at]?.['content'], ...later];
  },
  events(turn) {
    const chunk = { id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: 'bench' };
    const [delta, finish_reason] =
      typeof turn === 'string'
        ? [{ content: turn }, 'stop']
        : [{ tool_calls: [chatCall(turn)] }, 'tool_calls'];
    return [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage: chatUsage },
    ];
  },
  whole: (content) => ({
    id: 'chat_1',
    object: 'chat.completion',
    created: 1,
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: chatUsage,
  }),
};

function chatCall({ id, tool: { name }, args }: Exclude<Turn, string>): Json {
  return { index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

const gemini: Dialect = {
  path: /:(?:streamG|g)enerateContent$/,
  tools: (body) =>
    list(body['tools']).flatMap((tool) => list(tool['functionDeclarations']).map((each) => seen(each))),
  // Its calls have no ids.
  result(body) {
    const parts = list(list(body['contents']).at(-1)?.['parts']);
    return parts.some((part) => part['functionResponse'] !== undefined) ? parts : undefined;
  },
  events: (turn) => [
    generated(
      typeof turn === 'string' ? { text: turn } : { functionCall: { name: turn.tool.name, args: turn.args } },
    ),
  ],
  whole: (text) => generated({ text }),
};

function generated(part: Json): Json {
  return {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
  };
}

export const DIALECTS: readonly Dialect[] = [messages, responses, chat, gemini];
