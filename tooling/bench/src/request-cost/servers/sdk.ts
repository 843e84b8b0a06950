import { createServer, type RequestListener } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { annotations, input, names, output, registrationOf, run } from '../tools.ts';

/** Called for each request over HTTP, as in the SDK's guide. */
function build(): McpServer {
  const server = new McpServer({ name: 'sdk', version: '0.0.0' });
  for (const name of names) {
    const { title, description } = registrationOf(name);
    const config = { title, description, annotations: { title, ...annotations } };
    server.registerTool(name, { ...config, inputSchema: input, outputSchema: output }, (args) => {
      const answer = run(args);
      return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
    });
  }
  return server;
}

const [leg, port] = process.argv.slice(2);
if (leg === 'stdio') serveStdio(build);
else {
  const handle = toNodeHandler(createMcpHandler(build)) as RequestListener;
  createServer(handle).listen(Number(port), '127.0.0.1');
}
