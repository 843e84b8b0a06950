import { isObject } from '@deskside/core/base';
import { KNOWN_CLIENTS } from '@deskside/core/internal';
import { StartError } from '@deskside/core/errors';
import { type Client, type Place, SERVER_NAME } from './client.ts';
import { serversIn } from './config-file.ts';
import { hasRule } from './rules.ts';

/** What a client cannot do, also after `connect`: phrases for a list, empty if there is nothing. */
export function limitsOf({ id, waits, waitsSeconds, rule, runsWithoutPrompt }: Client): readonly string[] {
  const seconds = waits === undefined ? limitSeconds(id) : waitsSeconds;
  const showsForm = KNOWN_CLIENTS.some((known) => known.id === id && known.isInteractive);
  return [
    ...(seconds === undefined || showsForm ? [] : [`ends a question after ${seconds} s`]),
    ...(rule === undefined && runsWithoutPrompt !== true ? ['prompts before a question'] : []),
  ];
}

/** How a client of this machine treats questions now, for `doctor`. */
export async function stateOf(client: Client, place: Place): Promise<string> {
  const { id, waits = {}, rule } = client;
  const command = `deskside connect ${id}`;
  try {
    const entry = (await serversIn(client, client.file(place)))[SERVER_NAME];
    if (!isObject(entry)) {
      return (await hasPlugin(client, place)) ? 'connected by its plugin' : `not connected; run "${command}"`;
    }
    if (entry['disabled'] === true || entry['enabled'] === false)
      return `disabled in ${client.file(place)}; enable it there`;
    const seconds = limitSeconds(id);
    if (seconds !== undefined && Object.keys(waits).some((field) => entry[field] === undefined))
      return `would end a question after ${seconds} s; run "${command}"`;
    if (rule !== undefined && !(await hasRule(client, place)))
      return `connected; may prompt before a question or notification; run "${command} --allow"`;
    // The person may have set less.
    const own = Object.keys(waits).map((field) => Number(entry[field]));
    const waitsSeconds = client.waitsSeconds && Math.min(client.waitsSeconds, ...own);
    return ['connected', ...limitsOf({ ...client, ...(waitsSeconds && { waitsSeconds }) })].join('; ');
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

/** Claude Code lists plugins in the file of its hooks, by their names and marketplaces. */
async function hasPlugin({ hooks }: Client, place: Place): Promise<boolean> {
  if (hooks?.kind !== 'json') return false;
  const plugins = await serversIn({ format: 'json', root: 'enabledPlugins' }, hooks.file(place));
  return Object.entries(plugins).some(([name, on]) => on === true && name.startsWith(`${SERVER_NAME}@`));
}

function limitSeconds(client: string): number | undefined {
  return KNOWN_CLIENTS.find(({ id }) => id === client)?.callLimitSeconds;
}
