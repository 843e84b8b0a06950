import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { Era } from '../definition/context.ts';
import { Reply, textBlock } from './reply.ts';

/**
 * How a tool's answer travels. Some hosts show the model nothing but `structuredContent` where there is any,
 * so it is there only when it holds everything:
 * - `object`: one JSON object, as text and as `structuredContent`;
 * - `list`: a bare JSON array; the legacy era has no `structuredContent` for it;
 * - `content`: a text or blocks, never `structuredContent`.
 */
export type ResultPolicy = 'object' | 'list' | 'content';

/** A text, or blocks as they are. */
export type Content = string | readonly ContentBlock[];

export function present(answer: unknown, policy: ResultPolicy, era: Era): CallToolResult {
  const { value, extras } = answer instanceof Reply ? answer : new Reply(answer, {});
  const more = extras.more ?? [];
  const meta = extras.meta === undefined ? {} : { _meta: { ...extras.meta } };
  if (policy === 'content') return { content: [...blocks(value), ...more], ...meta };
  const content = [textBlock(JSON.stringify(value)), ...more];
  const structured = policy === 'object' || era === 'modern';
  return { content, ...(structured ? { structuredContent: value } : {}), ...meta };
}

function blocks(value: unknown): readonly ContentBlock[] {
  return Array.isArray(value) ? value : [textBlock(String(value))];
}
