// A server on the SDK: as npm installs it, and bundled as the bare server.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare-server', version: '0.0.0' });
  server.registerTool(
    'echo',
    { description: 'Returns its input', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  return server;
});
