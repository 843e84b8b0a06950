import { createLog, keptToken, ownName, readFlags, readOptions, serve, settingsHelp } from '@deskside/core';
import { type Aggregator, createAggregator } from '../aggregator.ts';
import { openBuiltIn } from '../mounts/built-in.ts';
import { httpOptions } from '../options.ts';
import type { Command } from './command.ts';
import { isFirstShowing } from './first-showing.ts';
import { tokenFile } from './token-file.ts';
import { typedName } from './typed-name.ts';

export const http: Command = {
  words: 'http',
  summary: 'Serve all mounts over Streamable HTTP.',
  options: settingsHelp(httpOptions.settings),
  async run({ argv, env, write, print }) {
    const flags = readFlags(httpOptions.settings, argv);
    const { host, port, stateless, token: given, logLevel } = readOptions(httpOptions, { flags, env });
    const opened = openBuiltIn(env);
    const aggregator = await createAggregator(opened);
    const token = given ?? (await keptToken(tokenFile()));
    const { url = '' } = await serve(aggregator.routes, {
      user: opened.user,
      log: createLog({ level: logLevel, write }),
      onClose: async () => opened[Symbol.asyncDispose](),
      http: { host, port, stateless, auth: { token } },
    });
    print(await addresses(aggregator, url));
    if (given !== undefined) print('Clients send the bearer token in DESKSIDE_TOKEN.');
    else print(await tokenText(url, token, `${typedName(env)} token show`));
  },
};

async function addresses({ mounts }: Aggregator, url: string): Promise<string> {
  const lines = await Promise.all(
    mounts.map(async ({ id, definition }) => {
      const tools = await definition.listTools({ era: 'modern', toolName: ownName });
      return `  ${id.padEnd(10)} ${url}/${id}  (${tools.length} ${tools.length === 1 ? 'tool' : 'tools'})`;
    }),
  );
  return [`Deskside serves MCP at ${url}`, ...lines, ''].join('\n');
}

/**
 * The whole configuration at the first start that succeeds, and then only where the token is.
 *
 * @param command what a person types to see the token
 */
async function tokenText(url: string, token: string, command: string): Promise<string> {
  if (!(await isFirstShowing(token)))
    return `Clients send the bearer token in ${tokenFile()}; \`${command}\` prints it.`;
  return [
    'A bearer token was made for you. This is the configuration for a client, shown once:',
    '',
    clientConfiguration(url, token),
    '',
    `The token is kept in ${tokenFile()}; \`${command}\` prints it.`,
  ].join('\n');
}

function clientConfiguration(url: string, token: string): string {
  const deskside = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ mcpServers: { deskside } }, null, 2);
}
