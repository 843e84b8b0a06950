import { CLIENTS, limitsOf } from '@deskside/aggregator/testing/clients';

/** A server as clients start it. */
interface Entry {
  readonly id: string;
  readonly args: readonly string[];
}

/** The desk for one client; `connect` writes the same entry. */
function deskFor(client: string): Entry {
  return { id: 'deskside', args: ['-y', '@deskside/aggregator', 'stdio', '--as', client] };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function folded(title: string, text: string): string {
  return `<details>\n<summary>${title}</summary>\n\n${text.trim()}\n\n</details>`;
}

function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** `mcpServers` and the like: the same object under another key. */
function table(key: string, { id, args }: Entry, more: Readonly<Record<string, unknown>> = {}): string {
  return fence('json', json({ [key]: { [id]: { ...more, command: 'npx', args } } }));
}

/** Cursor and LM Studio install a server from the same kind of address. */
function link(site: string, { id, args }: Entry): string {
  return `${site}/install-mcp?name=${id}&config=${encodeURIComponent(base64({ command: 'npx', args }))}`;
}

/** Clients that need more than a command. */
const NOT_ONE_LINE = new Set(['claude-code', 'claude-desktop', 'vscode', 'cursor', 'lmstudio']);
const others = CLIENTS.filter(({ id }) => !NOT_ONE_LINE.has(id));
const width = Math.max(...others.map(({ id }) => id.length));

function connectCommand(id: string): string {
  return `npx -y @deskside/aggregator connect ${id}`;
}

/** The section of the README with one folded part per client. */
export function clientsSection(): string {
  const command = (id: string) => fence('sh', connectCommand(id));
  const lines = others.map((client) => {
    const about = [client.title, ...limitsOf(client)].join('; ').replace(';', ':');
    return `${connectCommand(client.id.padEnd(width))}  # ${about}`;
  });
  const cursor = deskFor('cursor');
  const code = deskFor('vscode');
  const studio = deskFor('lmstudio');
  const goose = deskFor('goose');
  const vscodeConfig = encodeURIComponent(JSON.stringify({ command: 'npx', args: code.args }));
  const gooseLink = `goose://extension?cmd=npx&${goose.args.map((arg) => `arg=${encodeURIComponent(arg)}`).join('&')}&timeout=300&id=${goose.id}&name=Deskside`;
  return [
    folded(
      'Claude Code',
      `${command('claude-code')}\n\nor the plugin, from the repository that has it:\n\n${fence('text', '/plugin install deskside --marketplace OWNER/NAME')}`,
    ),
    folded(
      'Claude Desktop',
      `Quit Claude Desktop, then:\n\n${command('claude-desktop')}\n\nClaude Desktop may remove servers from its file when it starts. For single servers the bundles of a release (\`.mcpb\`) stay.`,
    ),
    folded(
      'VS Code',
      `**[Install in VS Code](https://insiders.vscode.dev/redirect/mcp/install?name=${code.id}&config=${vscodeConfig})**, or:\n\n${command('vscode')}`,
    ),
    folded(
      'Cursor',
      `**[Install in Cursor](${link('https://cursor.com/en', cursor)})**, or:\n\n${command('cursor')}`,
    ),
    folded(
      'LM Studio',
      `**[Install in LM Studio](${link('https://lmstudio.ai', studio)})**, or:\n\n${command('lmstudio')}`,
    ),
    folded(others.map(({ title }) => title).join(', '), fence('sh', lines.join('\n'))),
    folded(
      'Goose',
      `Open this address, or add an extension of the type STDIO with the command \`npx ${goose.args.join(' ')}\`:\n\n${fence('text', gooseLink)}`,
    ),
    folded(
      'Any other client',
      `Over stdio:\n\n${table('mcpServers', { id: 'deskside', args: ['-y', '@deskside/aggregator', 'stdio'] })}\n\nOver HTTP: \`npx -y @deskside/aggregator http\` serves \`http://127.0.0.1:3333/mcp\`; \`npx -y @deskside/aggregator token show\` prints the bearer token.`,
    ),
  ].join('\n\n');
}
