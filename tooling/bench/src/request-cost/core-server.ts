import { createLog, defineServer, serve, type ServerDefinition, toolDefiner } from '@deskside/core';
import { endpoint } from '../../../../packages/core/src/serving/http/endpoint.ts';
import { sharedBy } from '../../../../packages/core/src/serving/protocol/connection.ts';
import type { Fetch } from './http-caller.ts';
import type { Streams } from './stream-caller.ts';
import { annotations, descriptionOf, input, names, output, run, titleOf } from './tools.ts';

const log = createLog({ level: 'info', write: () => undefined });

function definition(): ServerDefinition {
  const defineTool = toolDefiner<undefined>();
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

/** Core's dispatch between its HTTP guards and the tool. */
export function coreOverHttp(): Fetch {
  const { handle } = endpoint(definition(), sharedBy(log, undefined), false);
  return (request) => handle(request, { user: 'owner' });
}

export async function coreOverStreams(streams: Streams): Promise<void> {
  await serve(definition(), { streams, log, ownsProcess: false });
}
