import { join } from 'node:path';
import type { z } from 'zod';
import type { ServerDefinition } from '../definition/server.ts';
import { createLog } from '../log/log.ts';
import { commonOptions } from '../options/common-options.ts';
import { settingsHelp } from '../options/help.ts';
import type { Options } from '../options/options.ts';
import { readFlags, readOptions } from '../options/read-options.ts';
import { folders } from './folders.ts';
import { runProgram } from './run-program.ts';
import { serve } from './serve.ts';

export interface ServerProgram<Shape extends z.ZodRawShape, Opened extends AsyncDisposable> {
  /** The bin's name. */
  readonly name: string;
  readonly version: string;
  /** One sentence, the first of the help. */
  readonly summary: string;
  readonly options: Options<z.ZodObject<Shape>>;
  /** Opens what lives as long as the process. No heavy work: the first answers come before it. */
  readonly open: (options: z.output<z.ZodObject<Shape>>) => Opened;
  readonly definition: (opened: Opened) => ServerDefinition;
  /** Whom stdio and the token stand for. Default `owner`. */
  readonly user?: (options: z.output<z.ZodObject<Shape>>) => string;
}

/** The whole of a server's bin: options, help, stdio or HTTP, signals, exit codes. */
export async function runServer<Shape extends z.ZodRawShape, Opened extends AsyncDisposable>(
  program: ServerProgram<Shape, Opened>,
): Promise<void> {
  const { name, version, summary } = program;
  const settings = [...program.options.settings, ...commonOptions.settings];
  const usage = `${summary}\n\nUsage: ${name} [options]\n\nOptions:\n${settingsHelp(settings)}\n  --help\n  --version`;
  await runProgram({ name, version, usage }, async ({ argv, env, print, write }) => {
    const flags = readFlags(settings, argv);
    const common = readOptions(commonOptions, { flags, env });
    const own = readOptions(program.options, { flags, env });
    const { http, host, port, stateless, logLevel } = common;
    const log = createLog({ level: logLevel, write });
    const tokenFile = join(folders().data, 'token');
    const token = http ? (common.token ?? (await machineToken(tokenFile))) : undefined;
    const opened = program.open(own);
    const serving = await serve(program.definition(opened), {
      log,
      user: program.user?.(own) ?? 'owner',
      onClose: async () => opened[Symbol.asyncDispose](),
      ...(token === undefined ? {} : { http: { host, port, stateless, auth: { token } } }),
    });
    if (serving.url !== undefined) {
      print(`${name} ${version} serves MCP at ${serving.url}`);
      print(
        `It takes the bearer token ${common.token === undefined ? `in ${tokenFile}` : 'in DESKSIDE_TOKEN'}.`,
      );
    }
  });
}

/** Loaded when asked for: stdio needs no token. */
async function machineToken(file: string): Promise<string> {
  const { keptToken } = await import('./token-file.ts');
  return keptToken(file);
}
