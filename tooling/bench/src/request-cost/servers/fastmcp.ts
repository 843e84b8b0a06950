import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { annotations, input, names, output, registrationOf, run } from '../tools.ts';

/** What this benchmark uses of fastmcp, which is no dependency of the repository. */
interface FastMcp {
  addTool(tool: object): void;
  start(options: object): Promise<void>;
}

const [leg, port, , program = ''] = process.argv.slice(2);
const file = pathToFileURL(resolve(program, '../../fastmcp/dist/FastMCP.js')).href;
const { FastMCP } = (await import(file)) as { readonly FastMCP: new (options: object) => FastMcp };
const server = new FastMCP({ name: 'fastmcp', version: '0.0.0' });
for (const name of names) {
  const { title, description } = registrationOf(name);
  server.addTool({
    name,
    description,
    annotations: { title, ...annotations },
    parameters: input,
    outputSchema: output,
    execute: async (args: Parameters<typeof run>[0]) => run(args),
  });
}
if (leg === 'stdio') await server.start({ transportType: 'stdio' });
else {
  const httpStream = { port: Number(port), host: '127.0.0.1', stateless: leg === 'stateless' };
  await server.start({ transportType: 'httpStream', httpStream });
}
