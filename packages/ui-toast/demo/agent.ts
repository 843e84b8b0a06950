import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { join } from 'node:path';
import { type Step, stepsFor } from './script.ts';

/** An AG-UI event. */
export interface AgentEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A scripted agent: it only talks, and calls the real server through a real MCP client. */
export class Agent implements AsyncDisposable {
  readonly #client = new Client({ name: 'deskside-demo', version: '1.0.0' });
  #lastId = 0;

  static async start(): Promise<Agent> {
    const agent = new Agent();
    const args = [join(import.meta.dirname, '../src/cli.ts'), '--log-level', 'error'];
    await agent.#client.connect(new StdioClientTransport({ command: process.execPath, args }));
    return agent;
  }

  async *answer(message: string): AsyncGenerator<AgentEvent> {
    const runId = this.#newId('run');
    yield { type: 'RUN_STARTED', threadId: 'demo', runId };
    for (const step of stepsFor(message)) yield* this.#take(step);
    yield { type: 'RUN_FINISHED', threadId: 'demo', runId };
  }

  /** Calls the tool once; the arguments may be invalid. */
  async *call(args: Readonly<Record<string, unknown>>): AsyncGenerator<AgentEvent> {
    yield* this.#take({ call: args });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  async *#take(step: Step): AsyncGenerator<AgentEvent> {
    if ('say' in step) yield* this.#say(step.say);
    else yield* this.#callTool(step.call);
  }

  *#say(text: string): Generator<AgentEvent> {
    const messageId = this.#newId('message');
    yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' };
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: text };
    yield { type: 'TEXT_MESSAGE_END', messageId };
  }

  async *#callTool(args: Readonly<Record<string, unknown>>): AsyncGenerator<AgentEvent> {
    const toolCallId = this.#newId('call');
    yield { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'show_notification' };
    yield { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(args) };
    yield { type: 'TOOL_CALL_END', toolCallId };
    const result = await this.#client.callTool({ name: 'show_notification', arguments: { ...args } });
    const messageId = this.#newId('message');
    yield { type: 'TOOL_CALL_RESULT', toolCallId, messageId, content: JSON.stringify(result) };
  }

  #newId(kind: string): string {
    this.#lastId += 1;
    return `${kind}-${this.#lastId}`;
  }
}
