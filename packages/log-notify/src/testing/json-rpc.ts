/** What a client sends before its first call. */
export const opening: readonly object[] = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
];

export function notifyCall(id: number, args: { readonly message: string; readonly level?: string }): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'notify', arguments: args } };
}

/** Messages as the stdio transport writes them, one per line. */
export function linesOf(messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}
