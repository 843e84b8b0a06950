import { isCallToolResult } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLog } from '../log/log.ts';
import { reply, textBlock } from '../results/reply.ts';
import { ToolError } from '../results/tool-error.ts';
import { ownName, type Era, type RequestContext } from './context.ts';
import { type Tool, toolDefiner } from './tool.ts';

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const defineTool = toolDefiner<{ readonly greeting: string }>();
const deps = { greeting: 'Hello' };

function context(era: Era = 'modern', write: (line: string) => void = () => undefined): RequestContext {
  return {
    era,
    toolName: ownName,
    principal: { user: 'owner' },
    transport: 'stdio',
    session: 'test',
    client: undefined,
    signal: new AbortController().signal,
    correlationId: 'c-1',
    log: createLog({ level: 'info', write }),
    input: { capabilities: {}, responses: undefined, state: () => undefined, seal: async () => '' },
    progress: async () => undefined,
    message: async () => undefined,
  };
}

function firstText(answer: Awaited<ReturnType<Tool<unknown>['call']>>): string {
  const { content } = isCallToolResult(answer) ? answer : {};
  const [block] = content ?? [];
  return block?.type === 'text' ? block.text : '';
}

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: (tool) => `Greets; see also ${tool('part')}`,
  hints,
  input: z.object({
    name: z.string().min(1).describe('Whom to greet.'),
    times: z.int().min(1).max(3).default(1).describe('How often.'),
  }),
  output: z.object({ text: z.string() }),
  run: ({ name, times }, { greeting }) => ({ text: `${greeting}, ${name}!`.repeat(times) }),
});

test('an object is its JSON as the only text, and structured', async () => {
  expect(await greet.call({ name: 'Ada', unknown: 1 }, deps, context())).toStrictEqual({
    content: [{ type: 'text', text: '{"text":"Hello, Ada!"}' }],
    structuredContent: { text: 'Hello, Ada!' },
  });
});

test.each([
  [{}, 'Invalid "name"', 'Whom to greet.'],
  [{ name: 7 }, 'Invalid "name"', '{"type":"string","minLength":1}'],
  [{ name: 'Ada', times: 9 }, 'Invalid "times"', 'How often.'],
  [{ name: 'Ada', times: 'x' }, 'Invalid "times"', 'How often.'],
  ['Ada', 'The arguments are no object.', 'Pass an object'],
])('%j is refused with the argument that does not fit, and what would', async (args, error, hint) => {
  const answer = await greet.call(args, deps, context());
  expect(answer).toMatchObject({ isError: true });
  expect(answer).not.toHaveProperty('structuredContent');
  const body = JSON.parse(firstText(answer));
  expect(Object.keys(body)).toStrictEqual(['error', 'code', 'hint']);
  expect(body).toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(body.error).toContain(error);
  expect(body.hint).toContain(hint);
});

test('it is listed under its mounted name, and names others so', () => {
  const listed = greet.list({ era: 'legacy', toolName: (name) => `m_${name}` });
  expect(listed).toMatchObject({ name: 'm_greet', title: 'Greet', description: 'Greets; see also m_part' });
  expect(listed.annotations).toStrictEqual({ title: 'Greet', ...hints });
  expect(listed.inputSchema).toStrictEqual({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'Whom to greet.' },
      times: { type: 'integer', minimum: 1, maximum: 3, default: 1, description: 'How often.' },
    },
    required: ['name'],
  });
});

test.each(['legacy', 'modern'] as const)('a list is structured in the modern era only: %s', async (era) => {
  const list = defineTool({
    name: 'list',
    title: 'List',
    description: 'Lists',
    hints,
    input: z.object({}),
    output: z.array(z.number()),
    run: () => reply([1, 2], { more: [textBlock('and more')], meta: { 'deskside/remaining': 1 } }),
  });
  const answer = await list.call({}, deps, context(era));
  expect(answer).toStrictEqual({
    content: [textBlock('[1,2]'), textBlock('and more')],
    ...(era === 'modern' ? { structuredContent: [1, 2] } : {}),
    _meta: { 'deskside/remaining': 1 },
  });
  expect('outputSchema' in list.list({ era, toolName: ownName })).toBe(era === 'modern');
});

const fail = (error: unknown) =>
  defineTool({
    name: 'fail',
    title: 'Fail',
    description: 'Fails',
    hints,
    input: z.object({}),
    run: () => {
      throw error;
    },
  });

test.each([
  [
    { error: 'Gone', code: 'NOT_FOUND', hint: 'Look again.' },
    ['{"error":"Gone","code":"NOT_FOUND","hint":"Look again."}'],
  ],
  [
    { exactly: { error: 'Task not found', task_id: 3 }, next: 'List them.' },
    ['{"error":"Task not found","task_id":3}', 'List them.'],
  ],
  [{ exactly: 'Cannot show popup' }, ['Cannot show popup']],
])('%j is answered in these blocks', async (failure, blocks) => {
  const answer = await fail(new ToolError(failure)).call({}, deps, context());
  expect(answer).toStrictEqual({ content: blocks.map(textBlock), isError: true });
});

test('a ToolError of another copy of core is one too', async () => {
  const foreign = Object.assign(new Error('x'), {
    [Symbol.for('deskside.ToolError')]: true,
    blocks: ['theirs'],
  });
  expect(await fail(foreign).call({}, deps, context())).toMatchObject({ content: [textBlock('theirs')] });
});

test.each([new Error('SELECT secret FROM /etc'), 'a string', undefined])(
  'a defect says nothing to the model and all to the log: %s',
  async (defect) => {
    const lines: string[] = [];
    const answer = await fail(defect).call(
      {},
      deps,
      context('modern', (line) => lines.push(line)),
    );
    expect(answer).toStrictEqual({
      content: [textBlock('{"error":"Internal error","code":"INTERNAL"}')],
      isError: true,
      _meta: { 'deskside/correlation_id': 'c-1' },
    });
    expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'error', tool: 'fail', correlationId: 'c-1' });
    if (defect instanceof Error) expect(lines.join('')).toContain('SELECT secret');
  },
);
