import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@deskside/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../testing/network-program.ts');

async function portOf(server: Pick<Server, 'listen' | 'address' | 'close'>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => void server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return (server.address() as AddressInfo).port;
}

/** What the program prints for each address. */
async function asked(env: Readonly<Record<string, string>>, ...urls: readonly string[]) {
  const { PATH = '' } = process.env;
  const options = { env: { PATH, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...urls], options);
  return stdout.trim().split('\n');
}

/** A proxy that knows one server under every name. */
async function proxyTo(port: number) {
  const seen: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    seen.push(url);
    const server = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(socket).pipe(server);
    });
    socket.on('error', () => server.destroy());
    server.on('error', () => socket.destroy());
  });
  return { port: await portOf(proxy), seen };
}

test('a server is reached through the proxy of the environment, and one of this machine or in NO_PROXY without it', async () => {
  const port = await portOf(createServer((_, response) => response.end('reached')));
  const proxy = await proxyTo(port);
  const env = { https_proxy: '', HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: 'other.invalid' };
  const here = `http://127.0.0.1:${port}/`;
  const answers = await asked(env, 'http://mcp.invalid/', here, 'http://other.invalid/');
  expect(answers).toStrictEqual(['reached', 'reached', 'It cannot be reached (ENOTFOUND).']);
  expect(proxy.seen).toStrictEqual(['mcp.invalid:80']);
});

test('an authority of the system is trusted, and without it people read what to do', async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...args, ...subject], { stdio: 'ignore' });
  const files = { key: readFileSync(key), cert: readFileSync(cert) };
  const port = await portOf(createSecureServer(files, (_, response) => response.end('reached')));
  const url = `https://127.0.0.1:${port}/`;
  expect(await asked({ SSL_CERT_FILE: cert }, url)).toStrictEqual(['reached']);
  expect(await asked({}, url)).toStrictEqual([
    'Its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Add its authority to those of this system, or start Deskside with NODE_EXTRA_CA_CERTS=FILE.',
  ]);
});
