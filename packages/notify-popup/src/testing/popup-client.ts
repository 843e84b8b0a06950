import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

const bin = join(import.meta.dirname, '../cli.ts');

/** A client of the bin, started over stdio as a host does it. */
export interface PopupClient extends AsyncDisposable {
  readonly pid: number;
  /** Calls `notify`; the text of the answer's first block. */
  notify(args: Record<string, unknown>, options?: NotifyOptions): Promise<string>;
  /** Like `notify`, the whole answer. */
  call(args: Record<string, unknown>, options?: NotifyOptions): Promise<CallToolResult>;
  /** A place in the server's log, for `logged`. */
  now(): number;
  /** Resolves when the server's log has said this since then. */
  logged(message: string, since: number): Promise<void>;
}

export interface NotifyOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void;
}

export async function connectPopup(
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<PopupClient> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, '--log-level', 'debug', ...flags],
    env: { ...env },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'Example host', version: '1.0.0' });
  let stderr = '';
  const watchers = new Set<() => void>();
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
    for (const watch of watchers) watch();
  });
  await client.connect(transport);
  const { pid } = transport;
  if (pid === null) throw new Error('the server has no process');

  const call: PopupClient['call'] = async (args, options = {}) =>
    (await client.callTool({ name: 'notify', arguments: args }, undefined, {
      timeout: 60_000,
      ...options,
    })) as CallToolResult;

  return {
    pid,
    call,
    async notify(args, options) {
      const { content } = await call(args, options);
      return content[0]?.type === 'text' ? content[0].text : '';
    },
    now: () => stderr.length,
    logged: (message, since) =>
      new Promise((resolve) => {
        const look = () => {
          if (!stderr.slice(since).includes(`"message":"${message}"`)) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
