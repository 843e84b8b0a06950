import { type Command, type CommandContext, defineCommand, portField } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import * as z from 'zod';
import {
  type Self,
  type Client,
  type Entry,
  type Place,
  CLIENTS,
  connect as connectClient,
  clientNamed,
  clientsFound,
  thisPlace,
  hookProgram,
  type Invocation,
  invocationOf,
  hasRule,
  undo,
} from '@deskside/connect';
import { textOf } from '@deskside/desktop';
import { tokenStore } from '../tokens/tokens.ts';
import { questions } from './confirm.ts';
import { flagField } from '../options.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

const flags = {
  as: z.string().regex(NAME, 'use 1 to 32 letters, digits, "_" and "-"').optional().meta({
    placeholder: 'NAME',
    description:
      'Name that popups and logs show for this client: letters, digits, "_" and "-". Default: its usual name.',
  }),
  http: flagField(
    'Connect to "deskside http" with a new token, instead of starting a process. The file of the client then contains the token.',
  ),
  port: portField(3333).meta({ placeholder: 'PORT', description: 'Port of "deskside http".' }),
  dryRun: flagField('Show what would change, and change nothing.'),
  allow: flagField(
    'Let agents ask and notify without a prompt of the client, if it has rules for that: Claude Code, Codex, Gemini CLI, Qwen Code, Roo Code and Zed.',
  ),
  noAllow: flagField('Let the client prompt.'),
  hooks: flagField(
    'Let Claude Code or Codex notify you through "deskside send --hook" when it has finished or needs you, without a call of its model.',
  ),
  noHooks: flagField('Remove these hooks.'),
  undo: flagField('Remove what this command added.'),
};

type Settings = z.output<z.ZodObject<typeof flags>>;

export const connect = (self: Self): Command =>
  defineCommand({
    flags,
    operands: '[CLIENT]',
    details: `Adds Deskside to the configuration of a client: ${CLIENTS.map(({ id }) => id).join(', ')}. Only the user's own files are changed, the servers of Claude Code through its program, and nothing else in them changes. Without a client it lists the clients that it finds.`,
    examples: [
      'deskside connect claude-code',
      'deskside connect cursor --dry-run',
      'deskside connect codex --undo',
    ],
    async run(settings, context) {
      const { env, print, operands } = context;
      const place = thisPlace(env);
      const [id, other] = operands;
      if (other !== undefined) throw new StartError('Pass one CLIENT. See --help.');
      if (id === undefined) {
        for (const line of suggestions(place, self)) print(line);
        return 0;
      }
      const client = clientNamed(id);
      if (!settings.undo) return add(client, settings, place, context, invocationOf(self, env));
      await undo({ client, place, dryRun: settings.dryRun, revoke: revokeIfAny, print });
      return 0;
    },
  });

async function add(
  client: Client,
  { as: name = client.id, http, port, dryRun, allow, noAllow, hooks, noHooks }: Settings,
  place: Place,
  context: CommandContext,
  { typed, command, args }: Invocation,
): Promise<number> {
  if (http && !client.hasHttp) {
    throw new StartError(`${client.title} starts its servers itself. Connect it without --http.`);
  }
  if (hooks && client.hooks === undefined) {
    throw new StartError(`${client.title} has no hooks that Deskside knows. Connect it without --hooks.`);
  }
  const { print, output } = context;
  const isAsked = client.rule !== undefined && output.isTTY === true && !(await hasRule(client, place));
  await using ask = questions('deskside connect', context, allow);
  const question = `May agents ask and notify you without a prompt of ${client.title}?`;
  const isAllowed = noAllow ? false : allow || (isAsked && (await ask.confirm(question))) || undefined;
  const store = tokenStore();
  const token = http && !dryRun ? await store.create({ name }) : undefined;
  const entry: Entry = http
    ? { kind: 'http', url: `http://127.0.0.1:${port}/mcp`, token: token ?? '<token>' }
    : { kind: 'stdio', command, args: [...args, 'stdio', '--as', name] };
  try {
    const request = {
      client,
      entry,
      isAllowed,
      hooks: { areWanted: noHooks ? false : hooks || undefined, program: hookProgram({ command, args }) },
      token: token === undefined ? undefined : name,
      place,
      typed,
      dryRun,
      print,
    };
    return (await connectClient(request)) ? 0 : 1;
  } catch (error) {
    // The client has it if only the rule or the hooks could not be written.
    const text = token === undefined ? '' : await textOf(client.file(place)).catch(() => undefined);
    if (token !== undefined && text?.includes(token) !== true) await store.revoke(name);
    throw error;
  }
}

async function revokeIfAny(token: string): Promise<void> {
  const store = tokenStore();
  if ((await store.list()).some(({ name }) => name === token)) await store.revoke(token);
}

/** The clients that were found, with the command that connects each; one line if there are none. */
export function suggestions(place: Place, self: Self): readonly string[] {
  const { typed } = invocationOf(self, place.env);
  const found = clientsFound(place);
  if (found.length === 0) {
    return [
      `No client was found. To connect one, for example Claude Code: ${typed} connect claude-code (${typed} connect --help names all)`,
    ];
  }
  const width = Math.max(...found.map(({ title }) => title.length));
  return [
    'Clients on this machine, and how to connect each:',
    ...found.map(({ title, id }) => `  ${title.padEnd(width)}  ${typed} connect ${id}`),
  ];
}
