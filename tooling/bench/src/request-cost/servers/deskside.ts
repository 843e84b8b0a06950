import { defineServer, serve, type ServerDefinition, toolDefiner } from '@deskside/core';
import { annotations, descriptionOf, input, names, output, run, titleOf } from '../tools.ts';

const defineTool = toolDefiner<undefined>();

function definition(): ServerDefinition {
  const tools = names.map((name) =>
    defineTool({
      name,
      title: titleOf(name),
      description: descriptionOf(name),
      annotations,
      input,
      output,
      run,
    }),
  );
  return defineServer({ name: 'core', version: '0.0.0', deps: undefined, tools });
}

const [transport, token = ''] = process.argv.slice(2);
if (transport === 'stdio') {
  await serve(definition());
} else {
  const { url } = await serve(definition(), {
    http: { port: 0, auth: { token }, stateless: transport === 'stateless' },
  });
  process.stdout.write(`${url}\n`);
}
