import { defineServer, toolDefiner } from '@deskside/core';
import { serve } from '@deskside/core/serving';
import { annotations, input, names, output, registrationOf, run } from '../tools.ts';

const defineTool = toolDefiner<undefined>();
const tools = names.map((name) =>
  defineTool({ name, ...registrationOf(name), annotations, input, output, run }),
);
const definition = defineServer({ name: 'core', version: '0.0.0', deps: undefined, tools });

const [leg, port, token = ''] = process.argv.slice(2);
if (leg === 'stdio') await serve(definition);
else
  await serve(definition, { http: { port: Number(port), auth: { token }, stateless: leg === 'stateless' } });
