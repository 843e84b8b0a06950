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
import {
  accept,
  type DeskPlaces,
  readTexts,
  type ExternalServer,
  readExternal,
  type SecretSources,
} from '@deskside/gateway/config';
import { carryOut, DESK_TABLE, editToml, planChange, serversIn } from '@deskside/connect';
import { whileLocked } from '@deskside/desktop';
import { loadConfig, placesFor, read } from '../config/load.ts';
import { BUILT_IN_IDS } from '../mounts/built-in.ts';
import { configOptions } from '../options.ts';
import { loginInBrowser } from './login.ts';
import { type Questions, questions, yesFlag } from './confirm.ts';

/** Pairs whose values may contain commas, one per flag. */
function pairsField(description: string) {
  return z
    .string()
    .default('')
    .transform((text) => text.split('\n').filter((line) => line !== ''))
    .meta({ list: true, separator: '\n', placeholder: 'NAME=VALUE', description });
}

const flags = {
  envVar: listField().meta({
    placeholder: 'NAME',
    description: 'Variable of the desk that the command gets. Repeatable.',
  }),
  env: pairsField('Variable with its value: KEY=${env:KEY}, or KEY=${file:PATH} for a secret. Repeatable.'),
  header: pairsField("Header for a URL: Authorization='Bearer ${file:PATH}'. Repeatable."),
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
};

type Settings = z.output<z.ZodObject<typeof flags>>;

export const add = defineCommand({
  options: configOptions,
  flags: { ...flags, ...yesFlag },
  operands: 'NAME URL | NAME -- COMMAND...',
  details:
    'Starts the server, shows what it offers, asks, and writes [mcpServers.NAME] to deskside.toml. Comments and formatting stay. Other changes of the file still wait for "deskside apply".',
  examples: [
    'deskside add files -- npx -y @modelcontextprotocol/server-filesystem /home/ada/work',
    "deskside add github https://api.githubcopilot.com/mcp/ --header 'Authorization=Bearer ${file:~/.config/github-token}'",
  ],
  async run({ config: given, yes, ...settings }, context) {
    const { env, print, operands, separatedAt } = context;
    const [id = '', ...words] = operands;
    const places = placesFor(given);
    const { config } = await read((await readTexts(places)).current ?? '');
    if (Object.hasOwn(config.external, id)) throw isTaken(places, id);
    const server = checkedServer(id, entryOf(words, settings), Object.keys(config.modules));
    if (!isUrl(words) && words.length > 0 && separatedAt !== undefined && separatedAt !== 1) {
      // Its options would be taken for those of this command: `-y` of `npx -y` accepts the server.
      throw new StartError(`Put "--" in front of the command: deskside add ${id} -- COMMAND.`);
    }
    // A file that cannot be changed is reported before anything starts.
    await planChange(DESK_TABLE, places.file, id, server);
    await using ask = questions('deskside add', context, yes, given);
    const sources = { env, folder: places.folder };
    const login = async () => {
      // A script has no browser.
      const text = `${id} needs a login. Log in now?`;
      if (yes || !(await ask.allow({ text, parts: [], isListing: true }))) return false;
      await loginInBrowser({ id, server, sources, isPrinted: false }, context, ask);
      return true;
    };
    const tried = await tryOut(id, server, sources, settings.isolation, ask, login);
    const { reviewed } = tried;
    const { parts, accepted: listing } = reviewed;
    if (listing === undefined) {
      for (const line of parts.flatMap(partLines)) print(line);
      throw new StartError('Nothing was added.');
    }
    const decision = await ask.decide({
      text: `Add the server ${id} to ${places.file}?`,
      parts,
      offersReading: offersReading([reviewed]),
      isListing: true,
    });
    if (decision === 'none') {
      print('Nothing was added.');
      return 1;
    }
    const isReading = decision === 'reading';
    const added = isReading ? { ...tried.server, block: blockedBy(reviewed) } : tried.server;
    const accepted = { ...listing, path: context.env['PATH'] };
    await whileLocked(places.accepted, async () => {
      if (Object.hasOwn(await serversIn(DESK_TABLE, places.file), id)) throw isTaken(places, id);
      await carryOut(await planChange(DESK_TABLE, places.file, id, added), true);
      const { accepted: before = '' } = await readTexts(places);
      // A running desk follows the copy: what is accepted of the server must be there then.
      await new ListingStore(places.listings).accept(id, accepted);
      await accept(places, editToml(before, DESK_TABLE.root, id, added));
    });
    print(`Added ${id}. A running desk has it now.`);
    for (const line of isReading ? blockedLines([reviewed]) : []) print(line);
    for (const note of (await loadConfig(given))?.notes ?? []) print(escapeInvisible(note));
    return 0;
  },
});

function isTaken({ file }: DeskPlaces, id: string): StartError {
  return new StartError(`${id} exists already. Run "deskside remove ${id}" first, or edit ${file}.`);
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
  id: string,
  value: Readonly<Record<string, unknown>>,
  moduleIds: readonly string[],
): ExternalServer {
  const problems: string[] = [];
  const read = readExternal({ [id]: value }, [...BUILT_IN_IDS, ...moduleIds], (path, message) => {
    problems.push(`${path.slice(2).join('.')}: ${message}`.replace(/^: /, ''));
  });
  const [problem] = problems;
  const server = read[id];
  if (server === undefined || problem !== undefined) throw new StartError(escapeInvisible(problem ?? ''));
  return server;
}

/** Starts the server. One that asks its client can have one connection per client. */
async function tryOut(
  id: string,
  server: ExternalServer,
  sources: SecretSources,
  isolation: ExternalServer['isolation'],
  ask: Questions,
  login: () => Promise<boolean>,
): Promise<{ readonly server: ExternalServer; readonly reviewed: Review }> {
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
