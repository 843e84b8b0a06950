import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDeskFile } from '../config/desk-file.ts';
import { configured, titleOf } from '@deskside/gateway/servers';

const FILE = `
[mcpServers.files]
command = "npx"
args = ["-y", "files", "--key", "literal-key"]
env = { KEY = "a \${env:TOKEN}" }
env_vars = ["DISPLAY"]
cwd = "~/work"
isolation = "per-client"
include = ["read_*", "write_file"]
exclude = ["*_secret"]
rename = { read_text_file = "read" }
brief = "Files."
flat = true
timeout_seconds = 90
max_result_bytes = 1000
idle_minutes = 2

[mcpServers.docs]
url = "https://docs.example/mcp?key=\${env:TOKEN}"
headers = { Authorization = "Bearer \${env:TOKEN}" }

[mcpServers.issues]
url = "https://issues.example/mcp"
client_id = "desk"
client_secret = "\${env:TOKEN}"
`;

function specOf(id: string, env: Readonly<Record<string, string>> = { TOKEN: 't0ken' }) {
  const { config, problems } = readDeskFile(FILE);
  expect(problems).toStrictEqual([]);
  const server = config.external[id];
  if (server === undefined) throw new Error(`${id} is missing`);
  return { server, spec: configured(server, { env, folder: '/etc/desk' }) };
}

test('a command of deskside.toml gets its values when it starts, and its limits in milliseconds and bytes', async () => {
  const { spec } = specOf('files');
  expect(await spec.server()).toStrictEqual({
    command: 'npx',
    args: ['-y', 'files', '--key', 'literal-key'],
    env: { KEY: 'a t0ken' },
    env_vars: ['DISPLAY'],
    cwd: `${homedir()}/work`,
  });
  expect(spec).toMatchObject({
    isolation: 'per-client',
    brief: 'Files.',
    flat: true,
    limits: { callMs: 90_000, resultBytes: 1000, idleMs: 120_000 },
  });
  expect(spec.redact?.('npx: t0ken')).toBe('npx: <hidden>');
});

test('the secret of a client comes from a variable or a private file, and is hidden', async () => {
  const { spec } = specOf('issues');
  expect(await spec.server()).toMatchObject({ client: { id: 'desk', secret: 't0ken' } });
  expect(spec.redact?.('invalid t0ken')).toBe('invalid <hidden>');
});

const cwdIn = (folder: string) => configured({ command: 'x' }, { env: {}, folder }).server();

test('a command runs in the folder of deskside.toml, if that exists', async () => {
  expect(await cwdIn(import.meta.dirname)).toMatchObject({ cwd: import.meta.dirname });
  expect(await cwdIn(join(import.meta.dirname, 'missing'))).toMatchObject({ cwd: tmpdir() });
});

test('an address of deskside.toml gets its values when it is used', async () => {
  const { spec } = specOf('docs');
  expect(await spec.server()).toStrictEqual({
    url: 'https://docs.example/mcp?key=t0ken',
    headers: { Authorization: 'Bearer t0ken' },
  });
  expect(spec.limits).toStrictEqual({});
});

test('filters and renames of a server decide on the names of its tools', () => {
  const { publicName } = specOf('files').spec;
  const names = ['read_text_file', 'read_file', 'read_secret', 'delete_file'];
  const shown = names.map((name) => publicName?.('tool', name));
  expect(shown).toStrictEqual(['read', 'read_file', undefined, undefined]);
});

test.each([
  [{ command: 'x', env: { KEY: 'literal-key' } }, 'literal-key'],
  [{ command: 'x', args: ['--api-key', 'literal-key'] }, 'literal-key'],
  [{ command: 'x', args: ['--header', 'Authorization: Bearer literal-key'] }, 'literal-key'],
  [{ url: 'https://x/?key=literal-key' }, 'literal-key'],
  [{ url: 'https://x/s/l1teral-key-1234/mcp' }, 'l1teral-key-1234'],
  [{ url: 'https://x/', headers: { Authorization: 'Basic literal-key' } }, 'literal-key'],
])('a value of %j that is not a reference is hidden in messages', (server, value) => {
  const { redact } = configured(server, { env: {}, folder: '.' });
  expect(redact?.(`${value} is wrong`)).toBe('<hidden> is wrong');
});

test.each([
  [['npx', '-y', 'files', '--key', 'secret', '--root', '/srv'], 'npx -y files --key <hidden> --root /srv'],
  [['x', '--api-key=secret', '--tokens', 'a'], 'x --api-key=<hidden> --tokens <hidden>'],
  [['x', '--keyboard', 'us', '--token'], 'x --keyboard us --token'],
  [['x', '--no-token', '--key', 'secret'], 'x --no-token <hidden> <hidden>'],
  [['x', 'https://h/s/1/mcp', '--header', 'A: Bearer secret'], 'x https://h/s/1/mcp --header A: <hidden>'],
  [['x', '--header=X-Key:secret', '-H', 'X-Key:secret'], 'x --header=X-Key:<hidden> -H X-Key:<hidden>'],
  [['x', '--headers', 'A', 'Bearer secret'], 'x --headers A Bearer <hidden>'],
  [['x', '--oauth2Bearer', 'secret'], 'x --oauth2Bearer <hidden>'],
  [['docker', '-H', 'tcp://h:2375', 'run', '-i'], 'docker -H tcp://h:2375 run -i'],
  [['docker', 'run', '-e', 'A=secret', '-e', 'DEBUG', 'i'], 'docker run -e A=<hidden> -e DEBUG i'],
  [['docker', 'run', '--env', 'A=secret', '--env=B=a b'], 'docker run --env A=<hidden> --env=B=<hidden>'],
  [['docker', 'run', '-eC=secret', '--env-file=f'], 'docker run -eC=<hidden> --env-file=f'],
  [['node', '-e', 'a=1', '--env', 'test'], 'node -e a=1 --env test'],
  [['x', 'postgres://ada:secret@db/shop'], 'x postgres://<hidden>@db/shop'],
  [['x', '--url=https://h/mcp?a=secret&b=secret#c'], 'x --url=https://h/mcp?a=<hidden>&b=<hidden>#c'],
  [['x', '@scope/name', 'https://h/@scope/x', 'a?b=c'], 'x @scope/name https://h/@scope/x a?b=c'],
])('of %j people see %s', ([command = '', ...args], title) => {
  expect(titleOf({ command, args })).toBe(title);
});

test.each([
  ['https://docs.example/', 'https://docs.example'],
  ['https://docs.example/s/secret/mcp', 'https://docs.example/…'],
  ['https://docs.example/?key=secret', 'https://docs.example/…'],
])('of the address %s people see %s', (url, title) => {
  expect(titleOf({ url })).toBe(title);
});
