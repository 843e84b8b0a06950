const clientInfo = { name: 'deskside-checks', version: '0.0.0' };
const messages = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
];

/** What a host writes first. */
export const handshake: string = messages
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

interface Answer {
  readonly jsonrpc?: string;
  readonly id?: number;
  readonly result?: { readonly tools?: readonly unknown[] };
}

/** Everything on stdout must be JSON-RPC, and the tools must be listed. */
export function handshakeFaults(stdout: string): string[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  const answers = lines.map(parse);
  const strays = lines.filter((_line, index) => answers[index]?.jsonrpc !== '2.0');
  const tools = answers.find((answer) => answer?.id === 2)?.result?.tools ?? [];
  return [...strays.map((line) => `stray line: ${line}`), ...(tools.length > 0 ? [] : ['lists no tools'])];
}

function parse(line: string): Answer | undefined {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return undefined;
  }
}
