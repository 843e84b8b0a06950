import { type BaseEvent, compactEvents, EventType, HttpAgent, type RunAgentInput } from '@ag-ui/client';
import { connectInProcess, firstText } from '@deskside/testkit';
import type { Notification } from '@deskside/toaster';
import { agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import { aiSdkStart, readUiMessages } from '@deskside/toaster/ai-sdk';
import {
  AbstractChat,
  type ChatState,
  dynamicTool,
  jsonSchema,
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

/** A chat of the AI SDK whose messages are read after each change. */
class Chat extends AbstractChat<UIMessage> {
  constructor(define: typeof dynamicTool, onMessages: (messages: readonly UIMessage[]) => void) {
    let turns = 0;
    super({
      state: new Messages(onMessages),
      transport: {
        sendMessages: async ({ messages }) => {
          turns += 1;
          return answer(define, `turn ${turns}, ${messages.length} messages`);
        },
        reconnectToStream: async () => null,
      },
    });
  }
}

class Messages implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined = undefined;
  #messages: UIMessage[] = [];
  readonly #onChange: (messages: readonly UIMessage[]) => void;

  constructor(onChange: (messages: readonly UIMessage[]) => void) {
    this.#onChange = onChange;
  }

  get messages(): UIMessage[] {
    return this.#messages;
  }

  set messages(messages: UIMessage[]) {
    this.#messages = messages;
    this.#onChange(messages);
  }

  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };
  snapshot = <T>(thing: T) => structuredClone(thing);
}

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
  const execute = async () => notify(message);
  return streamText({
    model,
    prompt: 'deploy',
    tools: { [toolName]: define({ inputSchema, execute }) },
  }).toUIMessageStream();
}

test.each([
  ['a dynamic tool', dynamicTool],
  ['a tool', tool as typeof dynamicTool],
])(
  'a page with a chat of the AI SDK and %s shows the toast of each turn, and no history that is set later',
  async (_, define) => {
    const shown: Notification[] = [];
    let { memory } = readUiMessages(aiSdkStart, [], { live: false });
    const chat = new Chat(define, (messages) => {
      const step = readUiMessages(memory, messages, { live: true });
      memory = step.memory;
      shown.push(...step.toasts);
    });
    await chat.sendMessage({ text: 'deploy' });
    await chat.sendMessage({ text: 'again' });
    expect(shown.map(({ message }) => message)).toEqual(['turn 1, 1 messages', 'turn 2, 3 messages']);

    const reloaded: Notification[] = [];
    let { memory: nextMemory } = readUiMessages(aiSdkStart, [], { live: false });
    const nextChat = new Chat(define, (messages) => {
      const step = readUiMessages(nextMemory, messages, { live: true });
      nextMemory = step.memory;
      reloaded.push(...step.toasts);
    });
    nextChat.messages = chat.messages;
    expect(reloaded).toEqual([]);
    await nextChat.sendMessage({ text: 'go on' });
    expect(reloaded.map(({ message }) => message)).toEqual(['turn 1, 5 messages']);
  },
);
