/** How a client reaches the example: it starts the program, or it has the address and the header with the token. */
export type Reached =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly headers: Readonly<Record<'Authorization', string>> };

export interface ForeignClient {
  readonly client: string;
  /** What npm installs: names with exact versions. */
  readonly packages: readonly string[];
  /** Arguments of Node.js in the folder of the packages. It prints the answer for the stop Harbor. */
  readonly ask: (reached: Reached) => readonly string[];
}

const TOOL = 'list_departures';
const INPUT = JSON.stringify({ stop: 'Harbor' });

/** A program on a library: the script finds what it reaches in `given`. */
const script = (lines: readonly string[]) => (reached: Reached) => [
  '--input-type=module',
  '--eval',
  [...lines, 'process.exit();'].join('\n'),
  JSON.stringify(reached),
];
const GIVEN = 'const { url, headers, command, args } = JSON.parse(process.argv[1]);';

const aiSdk: ForeignClient = {
  client: 'AI SDK',
  packages: ['@ai-sdk/mcp@2.0.99'],
  ask: script([
    "import { createMCPClient } from '@ai-sdk/mcp';",
    "import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';",
    GIVEN,
    "const transport = url ? { type: 'http', url, headers } : new Stdio({ command, args });",
    `const { ${TOOL}: tool } = await (await createMCPClient({ transport })).tools();`,
    `const { content } = await tool.execute(${INPUT}, { toolCallId: '1', messages: [] });`,
    'console.log(content[0].text);',
  ]),
};

const openAiAgents: ForeignClient = {
  client: 'OpenAI Agents',
  packages: ['@openai/agents@0.20.0', 'zod@4.6.7'],
  ask: script([
    "import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';",
    GIVEN,
    'const requestInit = { headers };',
    'const server = url ? new MCPServerStreamableHttp({ url, requestInit }) : new MCPServerStdio({ command, args });',
    'await server.connect();',
    'const [{ name }] = await server.listTools();',
    `console.log((await server.callTool(name, ${INPUT}))[0].text);`,
  ]),
};

const langChain: ForeignClient = {
  client: 'LangChain',
  packages: ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0'],
  ask: script([
    "import { MultiServerMCPClient } from '@langchain/mcp-adapters';",
    GIVEN,
    "const tram = url ? { transport: 'http', url, headers } : { transport: 'stdio', command, args };",
    'const [tool] = await new MultiServerMCPClient({ mcpServers: { tram } }).getTools();',
    `console.log(JSON.stringify(await tool.invoke(${INPUT})));`,
  ]),
};

const inspector: ForeignClient = {
  client: 'MCP Inspector',
  packages: ['@modelcontextprotocol/inspector@2.12.0'],
  ask: (reached) => [
    'node_modules/.bin/mcp-inspector',
    '--cli',
    ...('url' in reached
      ? [reached.url, '--transport', 'http', '--header', `Authorization: ${reached.headers.Authorization}`]
      : [reached.command, ...reached.args]),
    '--method',
    'tools/call',
    '--tool-name',
    TOOL,
    '--tool-arg',
    'stop=Harbor',
  ],
};

export const foreignClients: readonly ForeignClient[] = [aiSdk, openAiAgents, langChain, inspector];
