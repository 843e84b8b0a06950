import { type CallToolResult, type ContentBlock, ProtocolError } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { blocksOf, UserError } from '../errors/index.ts';
import { encodeOutput, InvalidOutput } from '../schemas/encode.ts';
import type { RequestContext } from './context.ts';

/**
 * How a tool's answer is sent. Some hosts show the model only `structuredContent` if a result has it, so it is
 * sent only if it is complete:
 * - `object`: one JSON object, as text and as `structuredContent`;
 * - `list`: a bare JSON array, as text only, because blocks about the rest of the list may follow;
 * - `content`: a text or content blocks.
 */
export type ResultPolicy = 'object' | 'list' | 'content';

/** A text, or content blocks. */
export type Content = string | readonly ContentBlock[];

export interface ReplyExtras {
  /** Content blocks after the answer. */
  readonly more?: readonly ContentBlock[];
  /** `_meta` of the result. Keys have the form `deskside/…`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Sends `isError: false`, which MCP lets a success leave out, because a contract fixes it. */
  readonly isError?: false;
}

/** An answer with further blocks or `_meta`. Create it with `reply`. */
export class Reply<Value> {
  readonly value: Value;
  readonly extras: ReplyExtras;

  constructor(value: Value, extras: ReplyExtras) {
    this.value = value;
    this.extras = extras;
  }
}

/** Adds blocks or `_meta` to an answer. A tool without extras returns the answer itself. */
export function reply<const Value>(value: Value, extras: ReplyExtras): Reply<Value> {
  return new Reply(value, extras);
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/** @throws InvalidOutput if the answer does not match the tool's output schema, or is not a text or blocks without one */
export function resultOf(
  answer: unknown,
  policy: ResultPolicy,
  output: z.core.$ZodType | undefined,
): CallToolResult {
  const { value, extras }: Reply<unknown> = answer instanceof Reply ? answer : { value: answer, extras: {} };
  const more = extras.more ?? [];
  const fields = {
    ...(extras.isError === undefined ? {} : { isError: extras.isError }),
    ...(extras.meta === undefined ? {} : { _meta: { ...extras.meta } }),
  };
  if (output === undefined) return { content: [...contentBlocks(value), ...more], ...fields };
  const encoded = encodeOutput(output, value);
  const content = [textBlock(JSON.stringify(encoded)), ...more];
  return policy === 'object' ? { content, structuredContent: encoded, ...fields } : { content, ...fields };
}

function contentBlocks(value: unknown): readonly ContentBlock[] {
  if (typeof value === 'string') return [textBlock(value)];
  if (Array.isArray(value)) return value;
  const message = 'run() must return a text or content blocks, because the tool has no output schema';
  throw new InvalidOutput({ path: [], message });
}

const CORRELATION_ID_KEY = 'deskside/correlation_id';

/**
 * Turns what a tool throws into a result: text blocks, `isError: true`, no `structuredContent`.
 *
 * @throws ProtocolError unchanged, because it is an answer of the protocol and not of the tool
 */
export function errorResult(error: unknown, tool: string, ctx: RequestContext): CallToolResult {
  if (error instanceof ProtocolError) throw error;
  if (UserError.is(error))
    return { content: blocksOf(error.failure, ctx.toolName).map(textBlock), isError: true };
  // What work throws that was cancelled is no defect.
  if (!ctx.signal.aborted) {
    const [message, field] =
      error instanceof InvalidOutput
        ? ['tool answer is invalid', { field: error.field }]
        : ['tool failed', {}];
    ctx.log.error(message, { tool, ...field, correlationId: ctx.correlationId, error });
  }
  return {
    content: [textBlock(JSON.stringify({ error: 'Internal error', code: 'INTERNAL' }))],
    isError: true,
    _meta: { [CORRELATION_ID_KEY]: ctx.correlationId },
  };
}
