import {
  createLog,
  keptToken,
  type KeptToken,
  ownName,
  readFlags,
  readOptions,
  serve,
  settingsHelp,
} from '@deskside/core';
import { type Aggregator, createAggregator } from '../aggregator.ts';
import { openBuiltIn } from '../mounts/built-in.ts';
import { httpOptions } from '../options.ts';
import type { Command } from './command.ts';
import { tokenFile } from './token-file.ts';

export const http: Command = {
  words: 'http',
  summary: 'Serve all mounts over Streamable HTTP.',
  options: settingsHelp(httpOptions.settings),
  async run({ argv, env, write, print }) {
    const flags = readFlags(httpOptions.settings, argv);
    const { host, port, stateless, token, logLevel } = readOptions(httpOptions, { flags, env });
    const opened = openBuiltIn(env);
    const aggregator = await createAggregator(opened);
    const kept = token === undefined ? await keptToken(tokenFile()) : undefined;
    const { url = '' } = await serve(aggregator.routes, {
      user: opened.user,
      log: createLog({ level: logLevel, write }),
      onClose: async () => opened[Symbol.asyncDispose](),
      http: { host, port, stateless, auth: { token: token ?? kept?.token ?? '' } },
    });
    print(await welcome(aggregator, url, kept));
  },
};

async function welcome(aggregator: Aggregator, url: string, kept: KeptToken | undefined): Promise<string> {
  const lines = await Promise.all(
    aggregator.mounts.map(async ({ id, definition }) => {
      const tools = await definition.listTools({ era: 'modern', toolName: ownName });
      return `  ${id.padEnd(10)} ${url}/${id}  (${tools.length} ${tools.length === 1 ? 'tool' : 'tools'})`;
    }),
  );
  return [`Deskside serves MCP at ${url}`, ...lines, '', ...tokenLines(url, kept)].join('\n');
}

function tokenLines(url: string, kept: KeptToken | undefined): string[] {
  if (kept === undefined) return ['Clients send the bearer token in DESKSIDE_TOKEN.'];
  if (!kept.isNew)
    return [`Clients send the bearer token in ${tokenFile()}; \`deskside token show\` prints it.`];
  return [
    'A bearer token was made for you. This is the configuration for a client, shown once:',
    '',
    clientConfiguration(url, kept.token),
    '',
    `The token is kept in ${tokenFile()}; \`deskside token show\` prints it.`,
  ];
}

function clientConfiguration(url: string, token: string): string {
  const deskside = { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ mcpServers: { deskside } }, null, 2);
}
