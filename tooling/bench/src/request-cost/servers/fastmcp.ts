import { annotations, descriptionOf, input, names, run, titleOf } from '../tools.ts';

/** The part of fastmcp that is used. It is installed only for a measurement, so its types are not here. */
interface Module {
  readonly FastMCP: new (options: { readonly name: string; readonly version: string }) => {
    addTool(tool: object): void;
    start(options: object): Promise<void>;
  };
}

const [transport, entry = '', port = ''] = process.argv.slice(2);
const { FastMCP } = (await import(entry)) as Module;
const server = new FastMCP({ name: 'fastmcp', version: '0.0.0' });
for (const name of names) {
  server.addTool({
    name,
    description: descriptionOf(name),
    annotations: { title: titleOf(name), ...annotations },
    parameters: input,
    // fastmcp sends text only.
    execute: async (args: Parameters<typeof run>[0]) => JSON.stringify(run(args)),
  });
}
await server.start({
  transportType: 'httpStream',
  httpStream: { port: Number(port), host: '127.0.0.1', stateless: transport === 'stateless' },
});
process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
