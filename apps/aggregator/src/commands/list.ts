import { silentLog } from '@deskside/core';
import { defineCommand } from '@deskside/core/cli';
import { escapeInvisible } from '@deskside/core/text';
import { openDesk } from '../desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import type { MountState } from '../mounts/mount.ts';
import { mountOptions } from '../options.ts';

export const list = defineCommand({
  options: mountOptions,
  details: MOUNT_VARIABLES,
  examples: ['deskside list', 'deskside list --mounts todo,log'],
  async run(settings, { env, print }) {
    await using desk = await openDesk(settings, { env, log: silentLog });
    for (const state of await desk.aggregator.mountStates()) print(lineOf(state));
    for (const line of desk.configNotes) print(escapeInvisible(line));
  },
});

/** `todo        ready     5 tools  Deskside todo` */
function lineOf({ id, state, tools, title, reason }: MountState): string {
  const count = `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  const text = reason === undefined ? title : `${title}. ${reason}`;
  return escapeInvisible(`${id.padEnd(16)}  ${state.padEnd(8)}  ${count.padEnd(8)}  ${text}`);
}
