import { Client } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { defineServer } from './server.ts';
import { serveInProcess } from '../testkit/connect.ts';

test.each([
  { name: 'claude-code', over: 'stdio', version: '2025-11-25' },
  { name: 'claude-code', over: 'http', version: '2025-11-25' },
  { name: 'copilot-cli', over: 'stdio', version: '2026-07-28' },
  { name: 'copilot-cli', over: 'http', version: '2026-07-28' },
] as const)(
  '$name, which knows both eras, gets version $version over $over',
  async ({ name, over, version }) => {
    const server = await serveInProcess(
      defineServer({ name: 'empty', version: '1', deps: undefined, tools: [] }),
      { over },
    );
    onTestFinished(() => server[Symbol.asyncDispose]());
    const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(server.transport);
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
  },
);
