import { once } from 'node:events';
import { type Command, defineCommand } from '@deskside/core/program';
import type { Self } from '@deskside/connect';
import { askDesk } from './ask-desk.ts';

/** Ends the desk of this user. */
export function stop(self: Self): Command {
  return defineCommand({
    details:
      'Open calls have 1.5 s to finish. Attached clients stay connected; their next request starts a desk again, without HTTP.',
    examples: ['deskside stop'],
    async run(_values, { print, note }) {
      const greeting = await askDesk(self, 'stop', note);
      if (greeting === undefined) {
        print('No desk is running.');
        return;
      }
      // The desk closes the connection when it has ended.
      if (!greeting.socket.destroyed) {
        greeting.socket.resume();
        await once(greeting.socket, 'close');
      }
      print(`Stopped the desk (process ${greeting.pid}).`);
    },
  });
}
