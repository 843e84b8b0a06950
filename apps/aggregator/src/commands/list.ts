import { silentLog } from '@deskside/core';
import { type Command, defineCommand } from '@deskside/core/cli';
import { escapeInvisible } from '@deskside/core/text';
import type { Self } from '../attach/self.ts';
import type { DeskConfig } from '../config/desk-file.ts';
import { loadConfig } from '../config/load.ts';
import { openDesk } from '../desk.ts';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import type { MountState } from '../mounts/mount.ts';
import { mountOptions } from '../options.ts';
import { RESTART, statusOfDesk } from './ask-desk.ts';

export const list = (self: Self): Command =>
  defineCommand({
    options: mountOptions,
    details: `Columns: mount, kind (own, module, command or url), state, number of tools, title. Servers of mcpServers are not started. ${MOUNT_VARIABLES}`,
    examples: ['deskside list', 'deskside list --mounts todo,log'],
    async run(settings, { env, print }) {
      await using desk = await openDesk(settings, { env, log: silentLog });
      const states = await desk.aggregator.mountStates();
      for (const line of await mountTable(states, settings.config)) print(line);
      for (const line of desk.configNotes) print(escapeInvisible(line));
      const running = await statusOfDesk(self);
      const missing = states.filter(({ id }) => running?.mounts.every((mount) => mount.id !== id));
      if (missing.length > 0)
        print(`The running desk does not have ${missing.map(({ id }) => id).join(', ')}. ${RESTART}`);
    },
  });

/** @param config the path of deskside.toml, if an option names it */
export async function mountTable(states: readonly MountState[], config?: string): Promise<readonly string[]> {
  const kinds = kindsOf((await loadConfig(config))?.config);
  return states.map((state) => lineOf(state, kinds));
}

/** What each mount of deskside.toml is; every other one is Deskside's own. */
function kindsOf(config: DeskConfig | undefined): ReadonlyMap<string, string> {
  const servers = Object.entries(config?.external ?? {});
  return new Map([
    ...Object.keys(config?.modules ?? {}).map((id) => [id, 'module'] as const),
    ...servers.map(([id, server]) => [id, 'command' in server ? 'command' : 'url'] as const),
  ]);
}

/** `todo              own      ready     5 tools   Deskside todo` */
function lineOf({ id, state, tools, title, reason }: MountState, kinds: ReadonlyMap<string, string>): string {
  const count = `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  const text = reason === undefined ? title : `${title}. ${reason}`;
  const kind = kinds.get(id) ?? 'own';
  return escapeInvisible(
    `${id.padEnd(16)}  ${kind.padEnd(7)}  ${state.padEnd(8)}  ${count.padEnd(8)}  ${text}`,
  );
}
