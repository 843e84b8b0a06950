import { resolve } from 'node:path';
import { choiceField, defineCommand, integerField, listField } from '@deskside/core/program';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';
import {
  partLines,
  tryServer,
  blockedBy,
  blockedLines,
  offersReading,
  type Review,
  review,
  ListingStore,
  type Trial,
  neededLogin,
} from '@deskside/gateway/servers';
import { readTexts, type ExternalServer, readExternal, type SecretSources } from '@deskside/gateway/config';
import { DESK_TABLE, planChange } from '@deskside/connect';
import { loadConfig, placesFor, read } from '../config/load.ts';
import { addServer, isTaken } from './change-servers.ts';
import { BUILT_IN_IDS } from '../mounts/built-in.ts';
import { configOptions } from '../options.ts';
import { loginInBrowser } from './login.ts';
import { type Questions, questions, yesFlag } from './confirm.ts';

/** Values that may contain commas, one per flag. */
function repeatedField() {
  return z
    .string()
    .default('')
    .transform((text) => text.split('\n').filter((line) => line !== ''));
}

const REPEATED = { list: true, separator: '\n' };

const flags = {
  envVar: listField().meta({
    placeholder: 'NAME',
    description: 'Variable of the desk that the command gets. Repeatable.',
  }),
  env: repeatedField().meta({
    ...REPEATED,
    placeholder: 'NAME=VALUE',
    description: 'Variable with its value: KEY=${env:KEY}, or KEY=${file:PATH} for a secret. Repeatable.',
  }),
  header: repeatedField().meta({
    ...REPEATED,
    placeholder: 'NAME=VALUE',
    description: "Header for a URL: Authorization='Bearer ${file:PATH}'. Repeatable.",
  }),
  isolation: choiceField(['shared', 'per-client']).optional().meta({
    placeholder: 'KIND',
    description:
      'shared: one process or connection for all clients. per-client: one for each, which may ask its client. Default: shared, and a question if the server asks its client.',
  }),
  cwd: z
    .string()
    .min(1)
    .optional()
    .meta({ placeholder: 'FOLDER', description: 'Folder in which the command runs.' }),
  startSeconds: integerField(1, 3600).optional().meta({
    placeholder: 'SECONDS',
    description: 'How long a start may take, for example with an installation. Default: 60.',
  }),
  ...yesFlag,
};

type Settings = z.output<z.ZodObject<typeof flags>>;

export const add = defineCommand({
  options: configOptions,
  flags,
  operands: 'NAME URL | NAME -- COMMAND...',
  details:
    'Starts the server, shows what it offers, asks, and writes [mcpServers.NAME] to deskside.toml. Comments and formatting stay. Other changes of the file still wait for "deskside apply".',
  examples: [
    'deskside add files -- npx -y @modelcontextprotocol/server-filesystem /home/ada/work',
    "deskside add github https://api.githubcopilot.com/mcp/ --header 'Authorization=Bearer ${file:~/.config/github-token}'",
  ],
  async run({ config: given, yes, ...settings }, context) {
    const { env, print, operands, separatedAt } = context;
    const [id, ...words] = operands;
    const places = placesFor(given);
    const { config } = await read((await readTexts(places)).current ?? '');
    if (id !== undefined && Object.hasOwn(config.external, id)) throw isTaken(places, id);
    const entry = checkedServer(id, entryOf(words, { ...settings, yes }), Object.keys(config.modules));
    if (!isUrl(words) && words.length > 0 && separatedAt !== undefined && separatedAt !== 1) {
      // Its options would be taken for those of this command: `-y` of `npx -y` accepts the server.
      throw new StartError(`Put "--" in front of the command: deskside add ${id} -- COMMAND.`);
    }
    // A file that cannot be changed is reported before anything starts.
    await planChange(DESK_TABLE, places.file, entry.id, entry.server);
    await using ask = questions('deskside add', context, yes, given);
    const sources = { env, folder: places.folder };
    const login = async () => {
      // A script has no browser.
      const text = `${entry.id} needs a login. Log in now?`;
      if (yes || !(await ask.allow({ text, parts: [], isListing: true }))) return false;
      await loginInBrowser({ ...entry, sources, isPrinted: false }, context, ask);
      return true;
    };
    const { server, reviewed } = await tryOut(entry, sources, settings.isolation, ask, login);
    const { parts, accepted: listing } = reviewed;
    if (listing === undefined) {
      for (const line of parts.flatMap(partLines)) print(line);
      throw new StartError('Nothing was added.');
    }
    const decision = await ask.decide({
      text: `Add the server ${entry.id} to ${places.file}?`,
      parts,
      offersReading: offersReading([reviewed]),
      isListing: true,
    });
    if (decision === 'none') {
      print('Nothing was added.');
      return 1;
    }
    const isReading = decision === 'reading';
    const added = isReading ? { ...server, block: blockedBy(reviewed) } : server;
    const accepted = { ...listing, path: context.env['PATH'] };
    await addServer(
      places,
      { id: entry.id, server: added, listing: accepted },
      new ListingStore(places.listings),
    );
    print(`Added ${entry.id}. A running desk has it now.`);
    for (const line of isReading ? blockedLines([reviewed]) : []) print(line);
    for (const note of (await loadConfig(given))?.notes ?? []) print(escapeInvisible(note));
    return 0;
  },
});

interface NewServer {
  readonly id: string;
  readonly server: ExternalServer;
}

function isUrl([first = '', ...args]: readonly string[]): boolean {
  return args.length === 0 && /^[a-z][a-z\d+.-]+:\/\//i.test(first);
}

/** The table of the file, from the command line. */
function entryOf(words: readonly string[], settings: Settings): Readonly<Record<string, unknown>> {
  const [first, ...args] = words;
  const { env, envVar, header, cwd, isolation, startSeconds } = settings;
  if (first === undefined) {
    throw new StartError('Pass NAME and a URL, or NAME and a command behind "--". See --help.');
  }
  return {
    ...(isUrl(words) ? { url: first } : { command: first }),
    ...(args.length === 0 ? {} : { args }),
    ...(env.length === 0 ? {} : { env: tableOf('--env', env) }),
    ...(envVar.length === 0 ? {} : { env_vars: envVar }),
    ...(header.length === 0 ? {} : { headers: tableOf('--header', header) }),
    // A path of the shell. The file's own are relative to its folder.
    ...(cwd === undefined ? {} : { cwd: cwd.startsWith('~/') ? cwd : resolve(cwd) }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(startSeconds === undefined ? {} : { start_seconds: startSeconds }),
  };
}

function tableOf(flag: string, pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=:\s]+)(?:=|:\s*)(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined)
        throw new StartError(`${flag} needs NAME=VALUE. See --help.`);
      return [name, value];
    }),
  );
}

/** @throws StartError with the first problem */
function checkedServer(
  id: string = '',
  value: Readonly<Record<string, unknown>>,
  moduleIds: readonly string[],
): NewServer {
  const problems: string[] = [];
  const read = readExternal({ [id]: value }, [...BUILT_IN_IDS, ...moduleIds], (path, message) => {
    problems.push(`${path.slice(2).join('.')}: ${message}`.replace(/^: /, ''));
  });
  const [problem] = problems;
  const server = read[id];
  if (server === undefined || problem !== undefined) throw new StartError(escapeInvisible(problem ?? ''));
  return { id, server };
}

interface TriedOut {
  readonly server: ExternalServer;
  readonly reviewed: Review;
}

/** Starts the server. One that asks its client can have one connection per client. */
async function tryOut(
  { id, server }: NewServer,
  sources: SecretSources,
  isolation: ExternalServer['isolation'],
  ask: Questions,
  login: () => Promise<boolean>,
): Promise<TriedOut> {
  const started: Trial[] = [];
  const reviewOf = (tried: ExternalServer) =>
    review({ id, server: tried, accepted: undefined, waiting: undefined }, async () => {
      const trial = await tryServer(id, tried, sources).catch(async (error: unknown) => {
        if (neededLogin(error) === undefined || !(await login())) throw error;
        return tryServer(id, tried, sources);
      });
      started.push(trial);
      return trial;
    });
  if (isolation !== undefined) return { server, reviewed: await reviewOf(server) };
  const perClient = { ...server, isolation: 'per-client' as const };
  const reviewed = await reviewOf(perClient);
  const asked = [...(started[0]?.asked ?? [])].map((method) => ASKED[method]);
  if (reviewed.accepted === undefined) return { server, reviewed };
  if (asked.length > 0) {
    const why = `${id} asks its client for ${asked.join(' and ')}. A shared server cannot ask.`;
    const text = `${why}\nGive each client a separate one (isolation = "per-client")? If not, all share one.`;
    if (await ask.allow({ text, parts: [], isListing: true })) return { server: perClient, reviewed };
  }
  // A server may offer less to a client that it cannot ask.
  return { server, reviewed: await reviewOf(server) };
}

const ASKED = {
  'roots/list': 'its folders (roots)',
  'elicitation/create': 'input (elicitation)',
  'sampling/createMessage': 'text of a model (sampling)',
} as const;
