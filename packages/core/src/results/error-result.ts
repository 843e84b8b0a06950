import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import type { RequestContext } from '../definition/context.ts';
import { textBlock } from './reply.ts';
import { ToolError } from './tool-error.ts';

const CORRELATION_ID = 'deskside/correlation_id';

/**
 * The one place where a throw becomes a result: text only, `isError`, no `structuredContent`.
 *
 * @throws ProtocolError as it is: it is an answer of the protocol, not of the tool.
 */
export function errorResult(error: unknown, tool: string, ctx: RequestContext): CallToolResult {
  if (error instanceof ProtocolError) throw error;
  if (ToolError.is(error)) return { content: error.blocks.map(textBlock), isError: true };
  if (!ctx.signal.aborted) ctx.log.error('tool failed', { tool, correlationId: ctx.correlationId, error });
  return {
    content: [textBlock(JSON.stringify({ error: 'Internal error', code: 'INTERNAL' }))],
    isError: true,
    _meta: { [CORRELATION_ID]: ctx.correlationId },
  };
}
