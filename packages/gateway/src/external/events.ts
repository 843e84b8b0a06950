import { setImmediate } from 'node:timers/promises';
import { BoundedLines, type Line } from '@deskside/core/base';
import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { type ErrorAnswer, messageTooLong } from './problems.ts';

/** One event of a stream of Server-Sent Events. */
export interface StreamEvent {
  /** Empty for an event without a name. */
  readonly type: string;
  readonly data: string;
  /** Where the stream can be resumed. */
  readonly id?: string;
  /** How long to wait before the stream is asked for again, in milliseconds. */
  readonly retryMs?: number;
}

/** A message that is longer than the limit. */
export class TooLong extends Error {
  readonly answer: ErrorAnswer;

  constructor(maxBytes: number) {
    const answer = messageTooLong(maxBytes);
    super(answer.message);
    this.answer = answer;
  }
}

/**
 * The events of a body, as they come. The rest of the desk runs between them.
 *
 * @param maxBytes of one event
 * @throws TooLong
 */
export async function* eventsOf({ body }: Response, maxBytes: number): AsyncGenerator<StreamEvent> {
  const lines = new BoundedLines(maxBytes);
  const turns = new Turns();
  let fields: string[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    for (const line of lines.split(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length))) {
      const text = textOf(line, maxBytes);
      bytes += text.length;
      if (bytes > maxBytes) throw new TooLong(maxBytes);
      if (text !== '') fields.push(text);
      else if (fields.length > 0) {
        yield eventIn(fields);
        fields = [];
        bytes = 0;
        await turns.next();
      }
    }
    if (lines.isTooLong) throw new TooLong(maxBytes);
  }
}

function textOf(line: Line, maxBytes: number): string {
  if (line.kind === 'too-long') throw new TooLong(maxBytes);
  return line.text.replace(/\r$/, '').replace(/^\u{feff}/u, '');
}

function eventIn(fields: readonly string[]): StreamEvent {
  const event: { type: string; id?: string; retryMs?: number } = { type: '' };
  const data: string[] = [];
  for (const field of fields) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(field) ?? [];
    if (name === 'data') data.push(value);
    else if (name === 'event') event.type = value;
    else if (name === 'id') event.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) event.retryMs = Number(value);
  }
  return { ...event, data: data.join('\n') };
}

/** The whole body. @throws TooLong */
export async function bodyText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // The end of the loop cancels the body.
    if (bytes > maxBytes) throw new TooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const MAX_REFUSAL_BYTES = 64 * 1024;

/** The error of a response that is not ok, with its text. */
export async function refusal(response: Response): Promise<SdkHttpError> {
  const { status, statusText } = response;
  const text = await bodyText(response, MAX_REFUSAL_BYTES).catch(() => '');
  const data = { status, statusText, text };
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `HTTP ${status}`, data);
}

export function isEventStream({ headers }: Response): boolean {
  return /^\s*text\/event-stream\b/i.test(headers.get('content-type') ?? '');
}

/** A millisecond or two of work: a call of another server needs several turns. */
const MESSAGES_PER_TURN = 4;

/** Lets the rest of the desk run between the messages of one server, which can send without end. */
export class Turns {
  #left = MESSAGES_PER_TURN;

  /** Called after each message; resolves when the next one may follow. */
  next(): Promise<void> | undefined {
    this.#left -= 1;
    if (this.#left > 0) return undefined;
    this.#left = MESSAGES_PER_TURN;
    return setImmediate();
  }
}
