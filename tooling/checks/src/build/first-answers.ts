import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { commonOptions, type Options, type Setting } from '@deskside/core/program';
import { type FirstAnswers, KNOWN_CLIENTS, shapeOf } from '@deskside/core/internal';
import { firstMessages, unpreparedServer } from '@deskside/testkit/first-messages';
import * as z from 'zod';

const LEGACY_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const MODERN_VERSION = '2026-07-28';
const ID = 'id of the request';
/** Names of clients with other answers than all others. */
const DIFFERENT = KNOWN_CLIENTS.flatMap(({ name, readsTextAsObject, servedEra }) =>
  name !== undefined && (readsTextAsObject || servedEra !== undefined) ? [name] : [],
);
/** Matches no value of a variable that is set. */
const NOTHING = '^$';

type Message = Readonly<Record<string, unknown>>;
type Reaction = FirstAnswers['states'][string][string];

/** What the small program of a package answers before its servers are loaded, see docs/decisions/0067. */
export async function writeFirstAnswers(directory: string): Promise<void> {
  const bin = join(directory, 'dist/bin');
  const mounts = join(directory, 'src/mounts/record.ts');
  const [file, content] = existsSync(mounts)
    ? ['mounts.json', await recordMounts(mounts)]
    : ['first-answers.json', await recordFirstAnswers(bin, await optionsIn(directory))];
  writeFileSync(join(bin, file), JSON.stringify(content));
}

/** What the mounts of the aggregator list without settings. */
async function recordMounts(file: string): Promise<unknown> {
  const { recordListings } = (await import(pathToFileURL(file).href)) as {
    recordListings(): Promise<unknown>;
  };
  return recordListings();
}

/**
 * Asks a built server in each protocol version.
 *
 * @param bin the folder of its `main.js`
 */
async function recordFirstAnswers(bin: string, options: Options): Promise<FirstAnswers> {
  const lines: string[] = [];
  const states: Record<string, Record<string, Reaction>> = {};
  const add = (state: string, message: Message, next: string, answer: string, asks?: true) => {
    const known = lines.indexOf(answer);
    const line = known === -1 ? lines.push(answer) - 1 : known;
    const reaction = { next, ...(answer === '' ? {} : { line }), ...(asks && { asks }) };
    (states[state] ??= {})[shapeOf(message, DIFFERENT)] = reaction;
  };

  const clients = Object.values(firstMessages).map((texts) => texts.map(withoutId));
  await using modern = startServer(bin);
  for (const message of clients.filter(isModern).flat()) {
    const answer = await modern.ask(message);
    for (const state of ['start', MODERN_VERSION]) add(state, message, MODERN_VERSION, answer);
  }
  for (const [probe = {}] of clients.filter(isRefused)) add('start', probe, 'start', await modern.ask(probe));
  const legacy = Map.groupBy(
    clients
      .filter((messages) => !isModern(messages))
      .map((messages) => (isRefused(messages) ? messages.slice(1) : messages)),
    declaresApps,
  );
  for (const version of LEGACY_VERSIONS) {
    for (const [apps, messages] of legacy) {
      const ready = `${version} ${apps ? 'apps' : ''}`;
      await using server = startServer(bin);
      const first = messages.map(([message = {}]) => inVersion(message, version));
      const answer = await server.ask(first.find(hasRoots) ?? {});
      for (const message of first) add('start', message, `${ready} ${hasRoots(message)}`, answer);
      const initialized = messages[0]?.[1] ?? {};
      server.send(initialized);
      add(`${ready} true`, initialized, ready, await server.nextLine(), true);
      add(`${ready} false`, initialized, ready, '');
      for (const message of messages.flatMap((each) => each.slice(2)))
        add(ready, message, ready, await server.ask(message));
    }
  }
  return {
    words: `^(?:\0--(?:${options.settings.flatMap((setting) => flagsOf(setting, options)).join('|')}))*$`,
    variables: Object.fromEntries([
      ...commonOptions(options).settings.map(({ env = '' }) => [env, NOTHING]),
      ...options.settings.map((setting) => {
        const values = acceptedBy(setting, options);
        return [setting.env ?? '', values === undefined ? NOTHING : `^(?:${values})$`];
      }),
    ]),
    clients: DIFFERENT.map(({ source }) => source),
    states,
    lines: lines.map((line) => line.split(JSON.stringify(ID))),
  };
}

/** The one export of a server's `src/options.ts` that is made by `defineOptions`. */
export async function optionsIn(directory: string): Promise<Options> {
  const module: unknown = await import(pathToFileURL(join(directory, 'src/options.ts')).href);
  const found = Object.values(module as object).find(isOptions);
  if (found === undefined) throw new Error(`${directory} exports no options`);
  return found;
}

function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && 'schema' in value && 'settings' in value;
}

function isModern([first, second]: readonly Message[]): boolean {
  return first?.['method'] === 'server/discover' && !isRefused([first, second ?? {}]);
}

/** It asks for the modern era, and gets the legacy era. */
function isRefused([first, second]: readonly Message[]): boolean {
  return first?.['method'] === 'server/discover' && second?.['method'] === 'initialize';
}

/** MCP Apps. What a server lists may depend on it. */
function declaresApps(messages: readonly Message[]): boolean {
  return JSON.stringify(messages).includes('"io.modelcontextprotocol/ui"');
}

function withoutId(text: string): Message {
  const { id: _, ...message } = JSON.parse(text) as Message;
  return message;
}

/** The greeting of a client that nothing is known of, or only which era it gets: its lists are the same. */
function inVersion(message: Message, protocolVersion: string): Message {
  const { clientInfo, ...params } = message['params'] as { readonly clientInfo: { readonly name: string } };
  const hasEra = KNOWN_CLIENTS.some(
    ({ name, servedEra }) => servedEra !== undefined && name?.test(clientInfo.name),
  );
  const name = hasEra ? clientInfo.name : 'build';
  return { ...message, params: { ...params, protocolVersion, clientInfo: { ...clientInfo, name } } };
}

function hasRoots(message: Message): boolean {
  return JSON.stringify(message).includes('"roots":');
}

/** Patterns of a flag with its value, without dashes. */
function flagsOf(setting: Setting, options: Options): readonly string[] {
  const { flag, placeholder } = setting;
  const values = acceptedBy(setting, options);
  if (flag === undefined || values === undefined) return [];
  return placeholder === undefined ? [flag, `no-${flag}`] : [`${flag}[=\0](?:${values})`];
}

/** @returns a pattern; undefined if the value may change what the server lists, or may stop its start */
function acceptedBy({ key, changesListing }: Setting, { schema }: Options): string | undefined {
  let field: z.core.$ZodType = schema.shape[key] ?? z.never();
  while (field instanceof z.ZodOptional || field instanceof z.ZodDefault) field = field.unwrap();
  if (changesListing) return undefined;
  if (field instanceof z.ZodBoolean) return 'true|false|1|0';
  if (field instanceof z.ZodEnum) return field.options.map(String).join('|');
  const isPlain = field instanceof z.ZodString && (field.def.checks ?? []).every(isOfLength);
  return isPlain ? String.raw`\s*[^\s\0-][^\0]*` : undefined;
}

/** Every text that is not empty passes it. */
function isOfLength({ _zod: { def } }: z.core.$ZodCheck): boolean {
  return def.check === 'overwrite' || (def.check === 'min_length' && 'minimum' in def && def.minimum === 1);
}

function startServer(bin: string) {
  const home = mkdtempSync(join(tmpdir(), 'deskside-build-'));
  const child = spawn(process.execPath, unpreparedServer(bin), {
    env: { HOME: home },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const send = (message: Message) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  /** The next line, with `ID` in the place of its id. */
  async function nextLine(): Promise<string> {
    const { value = '{}' } = (await lines.next()) as { readonly value?: string };
    const { id = ID } = JSON.parse(value) as Message;
    return value.replace(JSON.stringify(id), JSON.stringify(ID));
  }
  return {
    send,
    nextLine,
    /** Sends a request. */
    ask(message: Message) {
      send({ ...message, id: ID });
      return nextLine();
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
      rmSync(home, { recursive: true, force: true });
    },
  };
}
