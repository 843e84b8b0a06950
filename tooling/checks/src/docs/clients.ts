import { CLIENTS, limitsOf } from '@deskside/aggregator/testing/clients';

/** What a client runs; `connect` writes the same entry. */
const argsFor = (client?: string) => [
  '-y',
  '@deskside/aggregator',
  'stdio',
  ...(client === undefined ? [] : ['--as', client]),
];
const entryFor = (client?: string) => ({ command: 'npx', args: argsFor(client) });

/** Clients that need more than a command. */
const NOT_ONE_LINE = new Set(['claude-code', 'claude-desktop', 'vscode', 'cursor', 'lmstudio']);
const others = CLIENTS.filter(({ id }) => !NOT_ONE_LINE.has(id));
const width = Math.max(...others.map(({ id }) => id.length));

const command = (id: string) => `npx -y @deskside/aggregator connect ${id}`;
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

/** Cursor and LM Studio install a server from the same kind of address. */
function link(site: string, client: string): string {
  const config = Buffer.from(JSON.stringify(entryFor(client))).toString('base64');
  return `${site}/install-mcp?name=deskside&config=${encodeURIComponent(config)}`;
}

const vscode = `https://insiders.vscode.dev/redirect/mcp/install?name=deskside&config=${encodeURIComponent(JSON.stringify(entryFor('vscode')))}`;
const goose = `goose://extension?cmd=npx&${argsFor('goose')
  .map((arg) => `arg=${encodeURIComponent(arg)}`)
  .join('&')}&timeout=300&id=deskside&name=Deskside`;

const install = (title: string, address: string, client: string) =>
  `**[Install in ${title}](${address})**, or:\n\n${fence('sh', command(client))}`;

const parts: readonly (readonly [title: string, text: string])[] = [
  [
    'Claude Code',
    `${fence('sh', command('claude-code'))}\n\nor the plugin, from the repository that has it:\n\n${fence('text', '/plugin install deskside --marketplace OWNER/NAME')}`,
  ],
  [
    'Claude Desktop',
    `Quit Claude Desktop, then:\n\n${fence('sh', command('claude-desktop'))}\n\nClaude Desktop may remove servers from its file when it starts. The bundles of a release (\`.mcpb\`) for single servers stay.`,
  ],
  ['VS Code', install('VS Code', vscode, 'vscode')],
  ['Cursor', install('Cursor', link('https://cursor.com/en', 'cursor'), 'cursor')],
  ['LM Studio', install('LM Studio', link('https://lmstudio.ai', 'lmstudio'), 'lmstudio')],
  [
    others.map(({ title }) => title).join(', '),
    fence(
      'sh',
      others
        .map((client) => {
          const about = [client.title, ...limitsOf(client)].join('; ').replace(';', ':');
          return `${command(client.id.padEnd(width))}  # ${about}`;
        })
        .join('\n'),
    ),
  ],
  [
    'Goose',
    `Open this address, or add an extension of the type STDIO with the command \`npx ${argsFor('goose').join(' ')}\`:\n\n${fence('text', goose)}`,
  ],
  [
    'Any other client',
    `Over stdio:\n\n${fence('json', JSON.stringify({ mcpServers: { deskside: entryFor() } }, null, 2))}\n\nOver HTTP: \`npx -y @deskside/aggregator http\` serves \`http://127.0.0.1:3333/mcp\`; \`npx -y @deskside/aggregator token show\` prints the bearer token.`,
  ],
];

/** The section of the README with one folded part per client. */
export const clientsSection = (): string =>
  parts
    .map(([title, text]) => `<details>\n<summary>${title}</summary>\n\n${text}\n\n</details>`)
    .join('\n\n');
