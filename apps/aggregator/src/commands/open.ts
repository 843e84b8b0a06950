import { join } from 'node:path';
import { type Command, defineCommand, folders } from '@deskside/core/program';
import { openPlace } from '@deskside/desktop';
import { StartError } from '@deskside/core/errors';
import { deskPlace } from '../attach/protocol.ts';
import type { Self } from '@deskside/connect';
import { startDesk } from '../attach/start-desk.ts';
import { askDesk } from './ask-desk.ts';

const START_MS = 20_000;

/** Opens the page of the desk of this user. */
export function open(self: Self): Command {
  return defineCommand({
    details:
      'The desk opens it in your browser, on the display where you are logged in. There you can also answer, and see your day and your tasks.',
    examples: ['deskside open'],
    async run(_values, { env, print, note }) {
      let answer = await openPage(self, note);
      if (answer === undefined) {
        openPlace(deskPlace(folders().data, self));
        await startDesk(commandOf(self, env), note, AbortSignal.timeout(START_MS));
        answer = await openPage(self, note);
      }
      if (answer?.kind === 'refused')
        throw new StartError(
          'The desk could not open your browser. Log in at a screen of this machine, then try again.',
        );
      if (answer?.kind !== 'opened')
        throw new StartError('The desk does not open its page. Run "deskside stop", then "deskside open".');
      print('The page is open in your browser.');
    },
  });
}

/** @returns undefined if no desk is running */
async function openPage(self: Self, note: (line: string) => void) {
  const greeting = await askDesk(self, 'open', note);
  greeting?.socket.destroy();
  return greeting?.answer;
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
