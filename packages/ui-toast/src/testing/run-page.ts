import { type BaseEvent, EventType, HttpAgent } from '@ag-ui/client';
import { type AgUiEvent, agUiStart, readAgUiEvent } from '@deskside/toaster/ag-ui';
import { aiSdkStart, readUiMessages } from '@deskside/toaster/ai-sdk';
import { AbstractChat, type ChatState, type UIMessage, type UIMessageChunk } from 'ai';
import type { StoppedRun } from './view-page.ts';

// Chats whose runs a test stops. They run in a page with a toaster. Providers repeat call ids: every call has this one.
const toolCallId = 'call_0';
const toolName = 'show_notification';

const toaster = document.querySelector('deskside-toaster');

/** Runs an AG-UI agent, and stops it after so many of its events: the person stops it, or the run fails. */
export async function runAgUi({ runId, results, stopAfter, ends }: StoppedRun): Promise<void> {
  const run = { threadId: 'thread', runId };
  const events: BaseEvent[] = [
    { type: EventType.RUN_STARTED, ...run },
    ...results.flatMap((content, index): BaseEvent[] => [
      { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: toolName },
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{}' },
      { type: EventType.TOOL_CALL_END, toolCallId },
      { type: EventType.TOOL_CALL_RESULT, toolCallId, messageId: `${runId}-${index}`, content },
    ]),
  ].slice(0, stopAfter);
  if (ends === 'failed') events.push({ type: EventType.RUN_ERROR, message: 'out of memory' });
  if (ends === 'finished') events.push({ type: EventType.RUN_FINISHED, ...run });
  const agent = new HttpAgent({
    url: 'http://agent.test',
    fetch: async (_url, { signal }) => {
      const lines = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
      const body = streamOf(lines, signal ?? undefined, ends === 'stopped').pipeThrough(
        new TextEncoderStream(),
      );
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    },
  });
  let memory = agUiStart;
  let toasts;
  let seen = 0;
  const read = (event: AgUiEvent) => {
    ({ toasts, memory } = readAgUiEvent(memory, event, { live: true, runId }));
    for (const toast of toasts) toaster?.show(toast);
  };
  agent.subscribe({
    onEvent({ event }) {
      read(event);
      seen += 1;
      if (ends === 'stopped' && seen === stopAfter) agent.abortRun();
    },
    onRunFinalized: () => read({ type: 'RUN_FINISHED' }),
  });
  await agent.runAgent({ runId }).catch(() => undefined);
}

/** Runs a chat of the AI SDK, and stops it after so many of its chunks. */
export async function runAiSdk({ runId, results, stopAfter, ends }: StoppedRun): Promise<void> {
  const chunks = [
    { type: 'start', messageId: runId },
    ...results.flatMap((output, index) => {
      const call = { toolCallId: `call_${index}`, toolName, dynamic: true };
      return [
        { type: 'tool-input-start', ...call },
        { type: 'tool-input-available', ...call, input: {} },
        {
          type: 'tool-output-available',
          toolCallId: call.toolCallId,
          output: JSON.parse(output),
          dynamic: true,
        },
      ];
    }),
  ].slice(0, stopAfter) as UIMessageChunk[];
  if (ends === 'failed') chunks.push({ type: 'error', errorText: 'out of memory' });
  if (ends === 'finished') chunks.push({ type: 'finish' });
  let { memory } = readUiMessages(aiSdkStart, [], { live: false });
  const state = new State(() => {
    const { status } = state;
    const step = readUiMessages(memory, state.messages, { live: true, status });
    memory = step.memory;
    for (const toast of step.toasts) toaster?.show(toast);
  });
  const { promise: reached, resolve: reachEnd } = Promise.withResolvers<void>();
  const transport = {
    sendMessages: async ({ abortSignal }: { abortSignal: AbortSignal | undefined }) =>
      streamOf(chunks, abortSignal, ends === 'stopped', reachEnd),
    reconnectToStream: async () => null,
  };
  const chat = new Chat({ state, transport });
  const sent = chat.sendMessage({ text: 'deploy' });
  if (ends === 'stopped') {
    await reached;
    await chat.stop();
  }
  await sent;
}

class Chat extends AbstractChat<UIMessage> {}

class State implements ChatState<UIMessage> {
  error: Error | undefined = undefined;
  #status: ChatState<UIMessage>['status'] = 'ready';
  #messages: UIMessage[] = [];
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get status() {
    return this.#status;
  }

  set status(status) {
    this.#status = status;
    this.#onChange();
  }

  get messages(): UIMessage[] {
    return this.#messages;
  }

  set messages(messages: UIMessage[]) {
    this.#messages = messages;
    this.#onChange();
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

/** Sends one part after the other. A stream that stays open ends when the page stops the run. */
function streamOf<Part>(
  parts: readonly Part[],
  signal: AbortSignal | undefined,
  staysOpen: boolean,
  onSent: () => void = () => {},
): ReadableStream<Part> {
  const waiting = [...parts];
  return new ReadableStream<Part>({
    start(controller) {
      signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
    pull(controller) {
      const next = waiting.shift();
      if (next !== undefined) return controller.enqueue(next);
      onSent();
      if (!staysOpen) controller.close();
      return undefined;
    },
  });
}
