/**
 * Stands for the program `claude` in tests: it changes its own file. What it does was compared with Claude Code 2.1.330.
 *
 * Arguments: the client, its file, then the arguments of the program.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

const [client = '', file = '', ...args] = process.argv.slice(2);
// What other users of the machine can read.
appendFileSync(`${file}.arguments`, `${args.join(' ')}\n`);

type Servers = Record<string, unknown>;

function change(root: string, edit: (servers: Servers) => string): void {
  const content = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  content[root] ??= {};
  process.stdout.write(`${edit(content[root])}\n`);
  writeFileSync(file, JSON.stringify(content, null, 2));
}

function fail(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function remove(servers: Servers): string {
  const name = args.at(-1) ?? '';
  if (servers[name] === undefined) fail(`No MCP server named "${name}" in user scope`);
  delete servers[name];
  return `Removed MCP server ${name} from user config`;
}

if (client === 'claude' && args[1] === 'add-json') {
  const [, , , , name = '', json = ''] = args;
  change('mcpServers', (servers) => {
    if (servers[name] !== undefined) fail(`MCP server ${name} already exists in user config`);
    servers[name] = JSON.parse(json);
    return `Added stdio MCP server ${name} to user config`;
  });
} else if (args[1] === 'remove') change('mcpServers', remove);
else fail(`unexpected arguments: ${args.join(' ')}`);
