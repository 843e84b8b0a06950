import { join } from 'node:path';
import { type Command, defineCommand, folders } from '@deskside/core/program';
import { openPlace } from '@deskside/desktop';
import { StartError } from '@deskside/core/errors';
import { deskPlace } from '../attach/protocol.ts';
import type { Self } from '@deskside/connect';
import { startDesk } from '../attach/start-desk.ts';
import { desktopOf } from '../attach/variables.ts';
import { askDesk } from './ask-desk.ts';
import { questions } from './confirm.ts';
import { factPart } from './person.ts';

const START_MS = 20_000;

/** Opens the page of the desk of this user. */
export function open(self: Self): Command {
  return defineCommand({
    details:
      'The desk opens it in your browser. There you can also answer, and see your day and your tasks. The link works once, within a minute. It is printed only to a terminal, and only if no browser can be opened.',
    examples: ['deskside open'],
    async run(_values, context) {
      const { env, output, print, note } = context;
      const hello = { kind: 'open', pid: self.pid, env: desktopOf(env) } as const;
      const openPage = async () => {
        const greeting = await askDesk(self, hello);
        greeting?.socket.destroy();
        return greeting?.answer;
      };
      let answer = await openPage();
      if (answer === undefined) {
        openPlace(deskPlace(folders().data, self));
        await startDesk(commandOf(self, env), note, AbortSignal.timeout(START_MS));
        answer = await openPage();
      }
      if (answer?.kind !== 'opened') {
        throw new StartError('The desk does not open its page. Run "deskside stop", then "deskside open".');
      }
      if (answer.link === undefined) {
        print('The page is open in your browser.');
        return 0;
      }
      // What an agent reads must not open the page: it would answer for the person.
      if (output.isTTY !== true) {
        throw new StartError(
          'No browser could be opened. Run "deskside open" in a terminal: it prints a link.',
        );
      }
      await using ask = questions(context, false);
      const about = 'A person or a program that opens it can answer for you. It works once, within a minute.';
      const parts = [factPart('The link', about)];
      if (!(await ask.allow({ text: 'No browser could be opened. Print a link to your page?', parts }))) {
        print('Nothing was printed.');
        return 1;
      }
      // The minute of the first one may be over.
      const latest = await openPage();
      const { link } = latest?.kind === 'opened' ? latest : answer;
      print(`Open this link within a minute, once:\n${link ?? answer.link}`);
      return 0;
    },
  });
}

function commandOf({ command: [node, file], uid }: Self, env: NodeJS.ProcessEnv) {
  const { data, state } = folders();
  return {
    execPath: node,
    args: [file],
    env,
    folder: deskPlace(data, { uid }).folder,
    logFile: join(state, 'desk.log'),
  };
}
