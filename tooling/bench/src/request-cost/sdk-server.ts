import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Fetch } from './http-caller.ts';
import type { Streams } from './stream-caller.ts';
import { annotations, descriptionOf, input, names, output, run, titleOf } from './tools.ts';

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

/** One server object per request, as in the SDK's guide. */
export function sdkOverHttp(): Fetch {
  const { fetch } = createMcpHandler(build);
  return (request) => fetch(request);
}

export function sdkOverStreams({ input: stdin, output: stdout }: Streams): void {
  serveStdio(build, { transport: new StdioServerTransport(stdin, stdout) });
}
