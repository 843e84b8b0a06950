import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { z } from 'zod';
import type { ServerDefinition } from '../definition/server.ts';
import type { TokenRecord } from '../base/tokens.ts';
import { DEFAULT_USER } from '../base/values.ts';
import { createLog, type Log } from '../log.ts';
import type { Auth } from '../serving/http/auth.ts';
import type { HttpServeOptions } from '../serving/http/serve-http.ts';
import type { FirstExchanges } from '../serving/first-answers/first-answers.ts';
import { folders } from './folders.ts';
import { combineOptions, commonOptions, type listenFields, type Options } from './options.ts';
import { type Command, type CommandEntry, runProgram } from './program.ts';
import { readOptions } from './read-options.ts';
import { tokenAuthentication, type TokenSource } from './token-authentication.ts';
import { loadOrCreateToken, serverSecret } from './token-file.ts';

export interface ServerProgram<Shape extends z.ZodRawShape, Opened extends AsyncDisposable> {
  /** The bin's name. */
  readonly name: string;
  readonly version: string;
  /** One sentence, the first of the help. */
  readonly summary: string;
  readonly options: Options<z.ZodObject<Shape>>;
  /**
   * Opens what lives as long as the process. No heavy work: the first answers come before it. If it and `definition`
   * import their modules themselves, `--version`, `--help` and the commands do not load them.
   */
  readonly open: (
    options: z.output<z.ZodObject<Shape>>,
    surroundings: { readonly log: Log },
  ) => Opened | Promise<Opened>;
  readonly definition: (opened: Opened) => ServerDefinition | Promise<ServerDefinition>;
  /** Runs once when the server serves, for example to log a problem before the first call meets it. */
  readonly started?: (
    opened: Opened,
    options: z.output<z.ZodObject<Shape>>,
    log: Log,
  ) => void | Promise<void>;
  /** The user behind stdio and behind the token. Default `owner`. */
  readonly user?: (options: z.output<z.ZodObject<Shape>>) => string;
  /** Accepts these tokens besides the main one. Default: none. */
  readonly tokens?: (opened: Opened) => TokenSource<TokenRecord>['stored'];
  /** Commands for people, such as `doctor`. */
  readonly commands?: Readonly<Record<string, CommandEntry>>;
  /** Whole command lines for the help. */
  readonly examples?: readonly string[];
}

/**
 * The whole bin of a server: options, help, commands, stdio or HTTP, signals, exit codes.
 *
 * @param first what the process answered before it loaded the server
 */
export async function runServer<Shape extends z.ZodRawShape, Opened extends AsyncDisposable>(
  program: ServerProgram<Shape, Opened>,
  first?: FirstExchanges,
): Promise<void> {
  const { name, version, summary, commands = {}, examples = [] } = program;
  const commonSettings = commonOptions(program.options);
  const { settings } = combineOptions<z.ZodRawShape, z.ZodRawShape>(program.options, commonSettings);
  const main: Command = {
    settings,
    operands: '',
    details: 'Without a command it serves MCP over stdio, or over HTTP with --http.',
    examples: [...examples, `${name} --http`],
    async run(flags, context) {
      const { env, print, write } = context;
      const common = readOptions(commonSettings, { flags, env });
      const own = readOptions(program.options, { flags, env, isTyped: isatty(0) });
      const { logLevel } = common;
      const token = common.http ? (common.token ?? (await loadOrCreateToken(dataFile('token')))) : undefined;
      const sealing = (common.http ? await serverSecret(common) : common.secret) ?? token;
      const { serve } = await import('../serving/serve.ts');
      const log = createLog({ level: logLevel, write });
      const { user = () => DEFAULT_USER, tokens } = program;
      const owner = user(own);
      const opened = await program.open(own, { log });
      const onClose = async () => opened[Symbol.asyncDispose]();
      const authOf = (main: string) =>
        tokens === undefined
          ? { token: main }
          : tokenAuthentication({ user: owner, token: main }, { stored: tokens(opened) }, log);
      const prepare = async () => ({
        definition: await program.definition(opened),
        ...(token === undefined ? {} : { http: listenOptions(common, authOf(token)) }),
      });
      const { definition, ...http } = await prepare().catch(async (error: unknown) => {
        await onClose();
        throw error;
      });
      const serving = await serve(definition, {
        log,
        first,
        user: owner,
        ...http,
        onClose,
        ...(sealing === undefined ? {} : { secret: sealing }),
      });
      void program.started?.(opened, own, log);
      if (serving.url === undefined || token === undefined) return;
      const source = common.token === undefined ? dataFile('token') : 'DESKSIDE_TOKEN';
      print(`${name} ${version} serves MCP at ${serving.url}`);
      if (serving.networkUrl !== undefined) print(`Other machines reach it at ${serving.networkUrl}`);
      print(`Clients send the bearer token in ${source}. Configuration for a client:`);
      const shown = context.output.isTTY === true ? token : '<token>';
      print(clientConfiguration(name.replace(/^deskside-/, ''), serving.url, shown));
    },
  };
  await runProgram({ name, version, summary, commands, main });
}

/** The values of `listenFields` without the secrets. */
export type ListenSettings = Omit<z.output<z.ZodObject<typeof listenFields>>, 'token' | 'secret'>;

/** What `serve` gets from the settings of every server. */
export function listenOptions(
  { host, port, stateless, allowHost, allowOrigin }: ListenSettings,
  auth: Auth,
): HttpServeOptions {
  return { host, port, stateless, allowHosts: allowHost, allowOrigins: allowOrigin, hasFlags: true, auth };
}

/** The JSON that most clients read from their configuration: an HTTP server with its bearer token. */
export function clientConfiguration(name: string, url: string, token: string): string {
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ mcpServers: { [name]: server } }, null, 2);
}

function dataFile(name: string): string {
  return join(folders().data, name);
}
