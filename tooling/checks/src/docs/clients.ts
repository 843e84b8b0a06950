import { CLIENTS, limitsOf } from '@deskside/connect';

/** What a client runs; `connect` writes the same entry. */
const argsFor = (client?: string) => [
  '-y',
  '@deskside/aggregator',
  'stdio',
  ...(client === undefined ? [] : ['--as', client]),
];
const entryFor = (client?: string) => ({ command: 'npx', args: argsFor(client) });

const NOTES: Readonly<Record<string, string>> = {
  'claude-desktop': 'quit it first; it may remove servers from its file when it starts',
};

/** A row per client that `connect` knows, and what it cannot do. */
export function clientsTable(): string {
  const rows = CLIENTS.map((client) => {
    const notes = [NOTES[client.id], ...limitsOf(client)].filter((note) => note !== undefined);
    return `| ${client.title} | \`./deskside connect ${client.id}\` | ${notes.join('; ')} |`;
  });
  return ['| Client | Command in a clone | Good to know |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Cursor and LM Studio install a server from the same kind of address. */
function link(site: string, client: string): string {
  const config = Buffer.from(JSON.stringify(entryFor(client))).toString('base64');
  return `${site}/install-mcp?name=deskside&config=${encodeURIComponent(config)}`;
}

const vscode = `https://insiders.vscode.dev/redirect/mcp/install?name=deskside&config=${encodeURIComponent(JSON.stringify(entryFor('vscode')))}`;
const goose = `goose://extension?cmd=npx&${argsFor('goose')
  .map((arg) => `arg=${encodeURIComponent(arg)}`)
  .join('&')}&timeout=300&id=deskside&name=Deskside`;

const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

/** Addresses and entries that need the published package. */
export function publishedEntries(): string {
  return [
    `- One click: [VS Code](${vscode}), [Cursor](${link('https://cursor.com/en', 'cursor')}), [LM Studio](${link('https://lmstudio.ai', 'lmstudio')})`,
    `- Goose: open this address, or add an extension of the type STDIO with the command \`npx ${argsFor('goose').join(' ')}\`:`,
    fence('text', goose),
    '- Any other client, over stdio:',
    fence('json', JSON.stringify({ mcpServers: { deskside: entryFor() } }, null, 2)),
  ].join('\n\n');
}
