import { type BaseEvent, compactEvents, EventType, HttpAgent, type RunAgentInput } from '@ag-ui/client';
import { connectInProcess, firstText } from '@deskside/testkit';
import type { Notification } from '@deskside/toaster';
import { agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import { aiSdkStart, readUiMessages } from '@deskside/toaster/ai-sdk';
import {
  dynamicTool,
  jsonSchema,
  readUIMessageStream,
  simulateReadableStream,
  streamText,
  tool,
  type UIMessage,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { uiToastServer } from '../server.ts';
import { openUiToast } from '../ui-toast.ts';

/** Providers repeat call ids: every run has this one. */
const toolCallId = 'call_0';
const toolName = 'show_notification';

async function notify(message: string) {
  await using toast = openUiToast();
  await using peer = await connectInProcess(uiToastServer(toast), { era: 'modern', over: 'http' });
  const result = await peer.callTool(toolName, { message, severity: 'info' });
  return result;
}

/** An agent behind a URL. Each run calls the tool once; `connectAgent` replays all earlier runs, compacted. */
class ToastingAgent extends HttpAgent {
  constructor() {
    const history: BaseEvent[] = [];
    super({
      url: 'http://agent.test',
      threadId: 'thread',
      fetch: async (_url, { body }) => {
        const { threadId, runId, forwardedProps }: RunAgentInput = JSON.parse(
          typeof body === 'string' ? body : '',
        );
        const run = { threadId, runId };
        if (forwardedProps?.connect === true) return eventStream(compactEvents(history));
        const events = await runEvents(run, runId);
        history.push(...events);
        return eventStream(events);
      },
    });
  }

  /** As the agents of CopilotKit do it. */
  protected override connect(input: RunAgentInput) {
    return this.run({ ...input, forwardedProps: { connect: true } });
  }
}

async function runEvents(run: { threadId: string; runId: string }, message: string): Promise<BaseEvent[]> {
  const content = firstText(await notify(message));
  return [
    { type: EventType.RUN_STARTED, ...run },
    { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: toolName },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify({ message, severity: 'info' }) },
    { type: EventType.TOOL_CALL_END, toolCallId },
    { type: EventType.TOOL_CALL_RESULT, toolCallId, messageId: `result of ${message}`, content },
    { type: EventType.RUN_FINISHED, ...run },
  ];
}

function eventStream(events: readonly BaseEvent[]): Response {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });
}

/** The example of docs/ui-toast.md. */
function showToastsOf(agent: HttpAgent): Notification[] {
  const shown: Notification[] = [];
  let memory = agUiStart;
  let toasts;
  agent.subscribe({
    onEvent({ event, input }) {
      ({ toasts, memory } = readAgUiEvent(memory, event, { live: true, runId: input.runId }));
      shown.push(...toasts);
    },
  });
  return shown;
}

test('a page with the AG-UI client shows the toast of each run, and nothing of the runs that a reconnect replays', async () => {
  const agent = new ToastingAgent();
  const shown = showToastsOf(agent);
  await agent.runAgent({ runId: 'run 1' });
  await agent.runAgent({ runId: 'run 2' });
  expect(shown.map(({ message }) => message)).toEqual(['run 1', 'run 2']);

  await agent.connectAgent();
  expect(shown).toHaveLength(2);
  const reloaded = showToastsOf(agent);
  await agent.connectAgent();
  expect(reloaded).toEqual([]);
  await agent.runAgent({ runId: 'run 3' });
  expect(reloaded.map(({ message }) => message)).toEqual(['run 3']);
});

/** A model that calls the tool once. */
function answer(define: typeof dynamicTool, message: string) {
  const input = JSON.stringify({ message });
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'tool-call', toolCallId, toolName, input },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
        ],
      }),
    }),
  });
  const inputSchema = jsonSchema<{ message: string }>({ type: 'object' });
  // All outputs but the last one are preliminary.
  const execute = async function* () {
    yield await notify(`half of ${message}`);
    yield await notify(message);
  };
  return streamText({
    model,
    prompt: 'deploy',
    tools: { [toolName]: define({ inputSchema, execute }) },
  }).toUIMessageStream();
}

/** A page with a chat of the AI SDK, which reads all messages after each change. */
function openChat(define: typeof dynamicTool) {
  const shown: string[] = [];
  let { memory } = readUiMessages(aiSdkStart, [], { live: false });
  let messages: readonly UIMessage[] = [];
  const setMessages = (next: readonly UIMessage[]) => {
    messages = next;
    const { toasts, ...step } = readUiMessages(memory, messages, { live: true });
    ({ memory } = step);
    shown.push(...toasts.map(({ message }) => message));
  };
  const send = async (text: string) => {
    const asked: UIMessage = { id: `question ${text}`, role: 'user', parts: [{ type: 'text', text }] };
    setMessages([...messages, asked]);
    const before = messages;
    const message: UIMessage = { id: `answer to ${text}`, role: 'assistant', parts: [] };
    for await (const part of readUIMessageStream({ message, stream: answer(define, text) }))
      setMessages([...before, part]);
  };
  return { shown, send, setMessages, messages: () => messages };
}

test.each([
  ['a dynamic tool', dynamicTool],
  ['a tool', tool as typeof dynamicTool],
])(
  'a page with a chat of the AI SDK and %s shows the toast of each turn, and no history that is set later',
  async (_, define) => {
    const chat = openChat(define);
    await chat.send('turn 1');
    await chat.send('turn 2');
    expect(chat.shown).toEqual(['turn 1', 'turn 2']);

    const reloaded = openChat(define);
    reloaded.setMessages(chat.messages());
    expect(reloaded.shown).toEqual([]);
    await reloaded.send('turn 3');
    expect(reloaded.shown).toEqual(['turn 3']);
  },
);
