/** A server that misbehaves in the way that its mode says. `node hostile-server.ts MODE`. */
import { createInterface } from 'node:readline';

type Json = Readonly<Record<string, unknown>>;

interface Incoming {
  readonly id?: string | number;
  readonly method?: string;
}

const [, , mode = ''] = process.argv;
const print = (line: string) => process.stdout.write(`${line}\n`);
const write = (message: Json) => print(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (value: string): Json => ({ content: [{ type: 'text', text: value }] });
const lists = { count: 0 };

/** Writes as fast as the pipe takes it, for ever. */
function flood(line: string): void {
  while (print(line));
  process.stdout.once('drain', () => flood(line));
}

/** What a call does instead of an answer, or before it. */
const calls: Readonly<Record<string, (id: string | number) => void>> = {
  deep(id) {
    const nested = '['.repeat(100_000) + ']'.repeat(100_000);
    print(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"nested":${nested}}}}`);
  },
  flood: () =>
    flood('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'),
  deaf() {
    process.stdin.pause();
    flood('{"jsonrpc":"2.0","id":"p","method":"ping"}');
  },
  twice(id) {
    write({ id: 4711, result: text('for another') });
    for (const answer of ['first', 'second']) write({ id, result: text(answer) });
  },
  chatty(id) {
    process.stderr.write(`${'stderr '.repeat(20)}\n`.repeat(2000));
    write({ id, result: text('after stderr') });
  },
};

function toolsNow(): readonly Json[] {
  lists.count += 1;
  const changing = mode === 'renaming' ? [`call_${lists.count}`] : [];
  const names = ['call', 'toString', '__proto__', ...changing];
  return names.map((name) => ({ name, inputSchema: { type: 'object' } }));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as Incoming;
  if (id === undefined || method === undefined) return;
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true }, logging: {} };
    const serverInfo = { name: 'hostile', title: 'Host\u202eile', version: '1' };
    write({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  } else if (method === 'tools/list') {
    write({ id, result: { tools: toolsNow() } });
    // A storm: each list announces the next one.
    if (mode === 'renaming') {
      for (let count = 0; count < 100; count += 1) write({ method: 'notifications/tools/list_changed' });
    }
  } else if (method === 'tools/call') {
    const call = calls[mode];
    if (call === undefined) write({ id, result: text('hi') });
    else call(id);
  } else write({ id, error: { code: -32_601, message: 'Method not found' } });
});
if (mode === 'immortal') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => process.stderr.write('still here\n'), 1);
}
