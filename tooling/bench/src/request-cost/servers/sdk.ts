import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { annotations, descriptionOf, input, names, output, run, titleOf } from '../tools.ts';

/** Called for each request over HTTP, as in the SDK's guide. */
function build(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '0.0.0' });
  for (const name of names) {
    server.registerTool(
      name,
      {
        title: titleOf(name),
        description: descriptionOf(name),
        annotations: { title: titleOf(name), ...annotations },
        inputSchema: input,
        outputSchema: output,
      },
      (args) => {
        const answer = run(args);
        return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
      },
    );
  }
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(build, { transport: new StdioServerTransport() });
} else {
  const handle = toNodeHandler(createMcpHandler(build)) as RequestListener;
  const server = createServer(handle).listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
  });
}
