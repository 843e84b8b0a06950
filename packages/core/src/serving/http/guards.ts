import { isIP, isIPv4 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { StartError } from '../../errors/index.ts';
import { quoted } from '../../text/index.ts';
import { rpcError } from './responses.ts';

/** Which names and which browser pages may use a server, besides those of this machine. */
export interface AccessOptions {
  /** Names under which clients reach the server, for example through a proxy: `desk.example.com`. */
  readonly allowHosts?: readonly string[];
  /** Origins of browser clients: `https://app.example.com`. */
  readonly allowOrigins?: readonly string[];
  /** True if the program has the flags of `runServer`: then messages name these. Default false. */
  readonly hasFlags?: boolean;
}

/** The setting of a server in a message: `port: 3334`, or `--port 3334` in a program with flags. */
export function settingName(hasFlags: boolean, name: string, value?: string): string {
  const flag = `--${name.replace(/[A-Z]/, (capital) => `-${capital.toLowerCase()}`).replace(/s$/, '')}`;
  if (hasFlags) return value === undefined ? flag : `${flag} ${value}`;
  return value === undefined ? name : `${name}: ${value}`;
}

/** Protects a server from web pages: from names that a page points at this machine, and from foreign origins. */
export interface Guard {
  /** @returns the answer to a request that is not allowed, or to a browser's question in advance */
  answer(request: Request): Response | undefined;
  /** Lets the page that sent a request read its answer, if its origin is allowed: adds headers to the response. */
  expose(request: Request, response: Response): void;
}

/** What browser clients may send; parameters that a tool asks for as a header begin with `Mcp-Param-`. */
const ALLOWED_HEADERS =
  'authorization, content-type, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name';
const PARAMETER_HEADER = /^mcp-param-[a-z0-9!#$%&'*+.^_`|~-]+$/;
/** What browser clients may read: with the challenge they begin a login, or ask for a further scope. */
const EXPOSED_HEADERS = 'Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate';
const PREFLIGHT_SECONDS = 600;

/**
 * @param address that the server listens on; beyond loopback each name and address of this machine is accepted
 * @throws StartError for a name or an origin that is not one
 */
export function createGuard(
  { allowHosts = [], allowOrigins = [], hasFlags = false }: AccessOptions,
  address: string = 'localhost',
): Guard {
  const hostSetting = settingName(hasFlags, 'allowHosts');
  const originSetting = settingName(hasFlags, 'allowOrigins');
  const names = [
    ...localhostAllowedHostnames(),
    bracketed(address),
    ...allowHosts.map((given) => hostName(given, hostSetting)),
  ];
  const origins = new Set(allowOrigins.map((given) => checkedOrigin(given, originSetting)));
  // A laptop changes its network, so the addresses are read when they matter.
  const isAllowed = (check: (allowed: string[]) => boolean) =>
    check(names) || (!isLoopback(address) && check(machineNames()));

  return {
    answer(request) {
      const { headers, method } = request;
      const host = headers.get('host') ?? new URL(request.url).host;
      if (!isAllowed((allowed) => validateHostHeader(host, allowed).ok)) {
        return rpcError(403, -32_000, `Forbidden: this Host header is not allowed. See ${hostSetting}.`);
      }
      const origin = headers.get('origin');
      if (origin === null || origin === '') return undefined;
      const isListed = origins.has(origin.toLowerCase());
      const isQuestion = method === 'OPTIONS' && headers.has('access-control-request-method');
      // A page of this machine may call without a question, but read no answer.
      const isOfMachine = () => isAllowed((allowed) => validateOriginHeader(origin, allowed).ok);
      if (!isListed && (isQuestion || !isOfMachine())) {
        return rpcError(403, -32_000, `Forbidden: this Origin header is not allowed. See ${originSetting}.`);
      }
      return isQuestion ? preflightAnswer(headers, origin) : undefined;
    },
    expose(request, response) {
      const origin = request.headers.get('origin');
      if (origin === null || !origins.has(origin.toLowerCase())) return;
      response.headers.set('Access-Control-Allow-Origin', origin);
      response.headers.set('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      response.headers.append('Vary', 'Origin');
    },
  };
}

/** Answers only what the guard lets pass. */
export function guarded<Given>(
  guard: Guard,
  answer: (request: Request, given?: Given) => Response | Promise<Response>,
): (request: Request, given?: Given) => Promise<Response> {
  return async (request, given) => {
    const refusal = guard.answer(request);
    if (refusal !== undefined) return refusal;
    const response = await answer(request, given);
    guard.expose(request, response);
    return response;
  };
}

function preflightAnswer(headers: Headers, origin: string): Response {
  const asked = (headers.get('access-control-request-headers') ?? '').toLowerCase().split(/\s*,\s*/);
  const parameters = asked.filter((name) => PARAMETER_HEADER.test(name));
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': 'GET, POST, DELETE',
      'Access-Control-Allow-Headers': [ALLOWED_HEADERS, ...parameters].join(', '),
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
      Vary: 'Origin, Access-Control-Request-Headers',
    },
  });
}

/** True for an address or name that only programs on this machine reach. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}

/** An address of this machine on which a server that listens on `address` can be reached. */
export function reachableAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '[::1]' : bracketed(address);
}

/** @returns the address at which other machines reach a server; undefined if it listens on loopback or none exists */
export function networkAddress(address: string): string | undefined {
  if (isLoopback(address)) return undefined;
  if (address !== '0.0.0.0' && address !== '::') return bracketed(address);
  return interfaces().find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

function interfaces() {
  return Object.values(networkInterfaces()).flatMap((all = []) => all);
}

function machineNames(): string[] {
  return [hostname().toLowerCase(), ...interfaces().map(({ address }) => bracketed(address))];
}

/** An address as it stands in a URL. */
function bracketed(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address.toLowerCase();
}

/** @throws StartError */
function hostName(given: string, setting: string): string {
  const name = bracketed(given);
  if (name !== 'null' && !name.includes('*') && URL.canParse(`http://${name}`)) {
    const { hostname: parsed, host, href } = new URL(`http://${name}`);
    // As clients send it: names beyond ASCII are encoded.
    if (host === parsed && href === `http://${parsed}/`) return parsed;
  }
  throw new StartError(
    `${quoted(given)} is not a name for ${setting}. Use a name without scheme and port, for example desk.example.com.`,
  );
}

/** @throws StartError */
function checkedOrigin(given: string, setting: string): string {
  const origin = given.toLowerCase();
  // Origins of browser extensions have their own schemes.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^\s/*?#@\\]+$/.test(origin) && URL.canParse(origin)) {
    const { protocol, origin: parsed } = new URL(origin);
    // As browsers send it: without a default port, names beyond ASCII encoded.
    return /^https?:$/.test(protocol) ? parsed : origin;
  }
  throw new StartError(
    `${quoted(given)} is not an origin for ${setting}. Use scheme, name and port without a path, for example https://app.example.com.`,
  );
}
