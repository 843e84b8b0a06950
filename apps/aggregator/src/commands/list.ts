import { silentLog } from '@deskside/core';
import { identityName } from '@deskside/core/errors';
import { type Command, type CommandContext, defineCommand } from '@deskside/core/program';
import { escapeInvisible } from '@deskside/core/text';
import { ListingStore, loginTexts } from '@deskside/gateway/servers';
import { wordOf, type Mount, type MountState } from '@deskside/gateway';
import type { Self } from '@deskside/connect';
import type { DeskStatus } from '../attach/desk-status.ts';
import type { DeskConfig } from '../config/desk-file.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { openDesk } from '../open-desk.ts';
import { unlessDamaged } from '@deskside/gateway/config';
import { MOUNT_VARIABLES } from '../mounts/built-in.ts';
import { flagField, mountOptions } from '../options.ts';
import { RESTART, statusOfDesk } from './ask-desk.ts';
import { printRows } from './table.ts';

export const list = (self: Self): Command =>
  defineCommand({
    options: mountOptions,
    flags: {
      tools: flagField('Also list each tool, whether it asks you first, and why.'),
    },
    details: `Columns: mount, kind (own, module, command or url), state, number of tools, title. Servers of mcpServers are not started. ${MOUNT_VARIABLES}`,
    examples: ['deskside list', 'deskside list --tools', 'deskside list --mounts todo,log'],
    async run({ tools, ...settings }, context) {
      const { env, print } = context;
      await using desk = await openDesk(settings, { env, log: silentLog });
      const loaded = await loadConfig(settings.config);
      const running = await statusOfDesk(self);
      const states = (await desk.aggregator.mountStates()).map((state) => stateInDesk(state, running));
      for (const { id, row, notes } of await mountTable(states, env, loaded)) {
        printRows([row], context);
        for (const note of notes) print(escapeInvisible(note));
        const mount = tools ? desk.aggregator.mounts.find((each) => each.id === id) : undefined;
        if (mount !== undefined) printRows(await toolLines(mount, desk.user, loaded), context);
      }
      for (const line of desk.configNotes) print(escapeInvisible(line));
      const missing = states.filter(({ id }) => running?.mounts.every((mount) => mount.id !== id));
      if (missing.length > 0)
        print(`The running desk does not have ${missing.map(({ id }) => id).join(', ')}. ${RESTART}`);
    },
  });

/** This process has made no call, and knows only what was accepted. What agents get, the running desk knows. */
export function stateInDesk(own: MountState, running: DeskStatus | undefined): MountState {
  const live = running?.mounts.find(({ id }) => id === own.id);
  if (live === undefined || (own.state !== 'ready' && own.state !== 'dormant')) return own;
  const { state, tools, reason } = live;
  const isLess = state === 'ready' && tools < own.tools;
  const note = isLess ? `${own.tools} are accepted, and the running server lists ${tools} of them.` : '';
  return { ...own, state, tools, reason: `${reason ?? ''} ${note}`.trim() || undefined };
}

/** A row per mount: kind, state, number of tools, title; below it why it does not work, and its login. */
export async function mountTable(
  states: readonly MountState[],
  env: CommandContext['env'],
  loaded: LoadedConfig | undefined,
) {
  const logins = await loginTexts(loaded?.config.external ?? {}, env);
  return states.map((state) => ({
    id: state.id,
    row: rowOf(state, kindOf(state.id, loaded?.config)),
    notes: [state.reason, logins.get(state.id)].flatMap((note) => (note === undefined ? [] : `  ${note}`)),
  }));
}

/** What a mount of deskside.toml is; every other one is Deskside's own. */
function kindOf(id: string, config: DeskConfig | undefined): string {
  const server = new Map(Object.entries(config?.external ?? {})).get(id);
  if (server !== undefined) return 'command' in server ? 'command' : 'url';
  return Object.hasOwn(config?.modules ?? {}, id) ? 'module' : 'own';
}

/** `  drop_table                    asks     destroys data` */
async function toolLines(
  { id, definition, approvals }: Mount,
  user: string,
  loaded: LoadedConfig | undefined,
): Promise<readonly string[]> {
  const view = { era: 'modern', toolName: identityName, principal: { user } } as const;
  const listed = await definition.listTools(view);
  const offered = await Promise.all(
    listed.map(async ({ name }) => (await approvals?.toolOf(name, view))?.name ?? name),
  );
  // Blocked tools of a server are not listed.
  const store = loaded && new ListingStore(loaded.places.listings);
  const accepted = store && (await unlessDamaged(() => store.accepted(id)))?.listing.tools;
  return (accepted ?? listed).flatMap((tool) => {
    const { word, why } =
      approvals === undefined ? { word: 'run' as const, why: 'own' } : wordOf(tool, approvals.rules);
    if (word !== 'block' && !offered.includes(tool.name)) return [];
    return [`  ${tool.name.padEnd(34)}  ${WORDS[word].padEnd(7)}  ${why}`];
  });
}

const WORDS = { run: 'runs', ask: 'asks', block: 'blocked' };

/** `todo              own      ready     5 tools   Deskside todo` */
function rowOf({ id, state, tools, title }: MountState, kind: string): string {
  const count = `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
  return `${id.padEnd(16)}  ${kind.padEnd(7)}  ${state.padEnd(8)}  ${count.padEnd(8)}  ${title}`;
}
