import type { CallToolResult } from '@modelcontextprotocol/client';

/** Hosts by the part of a result that they show to the model. */
export const HOSTS = ['structured only', 'content only', 'both'] as const;
export type Host = (typeof HOSTS)[number];

/** The text that a model reads. Images and links appear as their type and URI. */
export function shownBy(host: Host, { content, structuredContent }: CallToolResult): string {
  const structured = structuredContent === undefined ? [] : [JSON.stringify(structuredContent)];
  const blocks = content.map(shownBlock);
  if (host === 'content only') return blocks.join('\n');
  return host === 'structured only' && structured.length > 0
    ? structured.join('\n')
    : [...blocks, ...structured].join('\n');
}

function shownBlock(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}]`;
    case 'resource_link':
      return `[link ${block.uri}]`;
    case 'resource':
      return `[resource ${block.resource.uri}]`;
  }
}

/** Tool names in a text that are whole words. Names of one word, such as notify, are also ordinary words. */
export function bareNames(text: string, tools: readonly string[]): string[] {
  return tools.filter(
    (tool) =>
      tool.includes('_') && text.includes(tool) && new RegExp(`(?<![a-z_])${tool}(?![a-z_])`).test(text),
  );
}
