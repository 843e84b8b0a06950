import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { StartError } from '../../errors/index.ts';
import { type AccessOptions, createGuard, networkAddress, reachableAddress } from './guards.ts';

const APP = 'https://app.example.com';

function ask(options: AccessOptions, headers: Record<string, string>, method = 'POST', address?: string) {
  const request = new Request('http://localhost/mcp', { method, headers: { host: 'localhost', ...headers } });
  return createGuard(options, address).answer(request);
}

test.each([
  'localhost',
  'localhost:3333',
  '127.0.0.1:3333',
  '[::1]:3333',
  'desk.example.com',
  'DESK.example.com:443',
])('the Host %s is accepted if desk.example.com is allowed', (host) => {
  expect(ask({ allowHosts: ['Desk.example.com'] }, { host })).toBeUndefined();
});

test.each(['evil.example', 'desk.example.com.evil.example', 'user@localhost:x', '0.0.0.0', '[::]'])(
  'the Host %s is rejected',
  (host) => {
    expect(ask({ allowHosts: ['desk.example.com'] }, { host })?.status).toBe(403);
  },
);

test.each(['0.0.0.0', '::', '127.0.0.1', '::1', 'localhost', '127.0.0.2'])(
  'a server that listens on %s accepts the address that it prints',
  (address) => {
    const addresses = [reachableAddress(address), networkAddress(address)].filter(
      (each) => each !== undefined,
    );
    for (const host of addresses) expect(ask({}, { host: `${host}:3333` }, 'POST', address)).toBeUndefined();
  },
);

test('a server on loopback has no address for other machines', () => {
  expect(['localhost', '127.0.0.1', '::1'].map(networkAddress)).toEqual([undefined, undefined, undefined]);
  expect(networkAddress('192.0.2.7')).toBe('192.0.2.7');
  expect(networkAddress('2001:db8::7')).toBe('[2001:db8::7]');
});

test.each([
  ['no origin', {}, true],
  ['a page of this machine', { origin: 'http://localhost:5173' }, true],
  ['an allowed origin', { origin: APP }, true],
  ['an allowed origin in capitals', { origin: 'HTTPS://APP.example.com' }, true],
  ['an allowed browser extension', { origin: 'moz-extension://0a1b' }, true],
  ['another scheme', { origin: 'http://app.example.com' }, false],
  ['another port', { origin: `${APP}:8443` }, false],
  ['another extension', { origin: 'moz-extension://ffff' }, false],
  ['a foreign origin', { origin: 'https://evil.example' }, false],
  ['the origin null', { origin: 'null' }, false],
])('a request with %s is accepted: %o', (_, headers: Record<string, string>, accepted) => {
  const answer = ask({ allowOrigins: [APP, 'moz-extension://0a1b'] }, headers);
  expect(answer?.status).toBe(accepted ? undefined : 403);
});

describe('a browser that asks in advance', () => {
  const question = {
    origin: APP,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization, mcp-param-region, x-other',
  };

  test('learns what an allowed origin may send', () => {
    const headers = ask({ allowOrigins: [APP] }, question, 'OPTIONS')?.headers;
    expect(headers?.get('access-control-allow-origin')).toBe(APP);
    expect(headers?.get('access-control-allow-methods')).toBe('GET, POST, DELETE');
    expect(headers?.get('access-control-allow-headers')).toBe(
      'authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, mcp-param-region',
    );
    expect(headers?.get('vary')).toContain('Origin');
  });

  test.each([APP, 'http://localhost:6274'])(
    'learns for %s, which is not allowed, what allows it',
    async (origin) => {
      const answer = ask({}, { ...question, origin }, 'OPTIONS');
      expect(answer?.status).toBe(403);
      expect(await answer?.text()).toContain('this Origin header is not allowed. See allowOrigins.');
    },
  );
});

test('a page of an allowed origin can read the answer and the session id, and another page cannot', () => {
  const guard = createGuard({ allowOrigins: [APP] });
  const read = (origin: string) => {
    const response = new Response('x');
    guard.expose(new Request('http://localhost/mcp', { headers: { origin } }), response);
    return response.headers;
  };
  expect(read(APP).get('access-control-allow-origin')).toBe(APP);
  expect(read(APP).get('access-control-expose-headers')).toBe(
    'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate',
  );
  expect(read('http://localhost:5173').has('access-control-allow-origin')).toBe(false);
});

test.each(['*', 'null', `${APP}/`, 'app.example.com', 'https://*.example.com', 'https://u@app.example.com'])(
  'the origin %j fails the start',
  (origin) => {
    expect(() => createGuard({ allowOrigins: [origin] })).toThrow(StartError);
  },
);

test.each(['*', '', 'https://desk.example.com', 'desk.example.com:443', 'desk.example.com/x', 'u@desk'])(
  'the host name %j fails the start',
  (name) => {
    expect(() => createGuard({ allowHosts: [name] })).toThrow(StartError);
  },
);

test.skipIf(hostname().toLowerCase() === 'localhost')(
  'a server on loopback does not answer to the name of its machine, and a server beyond does',
  () => {
    const request = new Request('http://localhost/mcp', { headers: { host: hostname() } });
    expect(createGuard({}, '127.0.0.1').answer(request)?.status).toBe(403);
    expect(createGuard({}, '0.0.0.0').answer(request)).toBeUndefined();
  },
);

test.each([
  [{ host: 'evil.example' }, 'allowHosts', '--allow-host'],
  [{ host: 'localhost', origin: 'https://evil.example' }, 'allowOrigins', '--allow-origin'],
])(
  'the answer to the headers %j is a JSON-RPC error with the option, or with the flag of a program',
  async (headers, option, flag) => {
    for (const [hasFlags, name] of [
      [false, option],
      [true, flag],
    ] as const) {
      expect(await ask({ hasFlags }, headers)?.json()).toMatchObject({
        error: { code: -32_000, message: expect.stringContaining(`See ${name}.`) },
      });
    }
  },
);

test.each([
  [{ allowOrigins: ['https://app.example.com:443'] }, { origin: APP }],
  [{ allowOrigins: ['https://bücher.example'] }, { origin: 'https://xn--bcher-kva.example' }],
  [{ allowHosts: ['bücher.example'] }, { host: 'xn--bcher-kva.example' }],
])('%j accepts what clients send: %j', (options, headers: Record<string, string>) => {
  expect(ask(options, headers)).toBeUndefined();
});
