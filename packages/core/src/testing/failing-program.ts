/** A bin whose start fails in the step `--step`, and which holds the process until it is closed. */
import '@deskside/core/stdout';
import { choiceField, defineOptions, runServer } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { standardOutput } from '../serving/process/standard-streams.ts';
import { echoServer } from './echo-server.ts';

await runServer({
  name: 'demo',
  version: '1.0.0',
  summary: 'Cannot start.',
  options: defineOptions('DEMO', { step: choiceField(['open', 'definition', 'tokens']) }),
  open({ step }) {
    failAt('open', step);
    const timer = setInterval(() => undefined, 60_000);
    return {
      step,
      async [Symbol.asyncDispose]() {
        clearInterval(timer);
        standardOutput().write('closed\n');
      },
    };
  },
  definition({ step }) {
    failAt('definition', step);
    return echoServer();
  },
  tokens({ step }) {
    failAt('tokens', step);
    return { read: async () => [] };
  },
});

function failAt(here: string, step: string): void {
  if (here === step) throw new StartError(`no ${here}`);
}
