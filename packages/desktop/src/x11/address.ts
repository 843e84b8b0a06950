import { readFile } from 'node:fs/promises';
import type { NetConnectOpts } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** What an X client needs to know about the user's session. */
export interface X11Session {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The folder of the sockets of local servers. Default: `/tmp/.X11-unix`. */
  readonly x11Folder?: string;
}

const DISPLAY = /^(?:unix)?(?<host>[^:]*):(?<number>\d+)(?:\.\d+)?$/;
/** TCP port of display 0. */
const FIRST_PORT = 6000;

export interface X11Address {
  readonly displayNumber: string;
  readonly connection: NetConnectOpts;
}

/** @returns undefined if `DISPLAY` is not set or not a display name */
export function x11Address({ env, x11Folder = '/tmp/.X11-unix' }: X11Session): X11Address | undefined {
  const { host = '', number } = DISPLAY.exec(env['DISPLAY'] ?? '')?.groups ?? {};
  if (number === undefined) return undefined;
  const connection =
    host === '' ? { path: `${x11Folder}/X${number}` } : { host, port: FIRST_PORT + Number(number) };
  return { displayNumber: number, connection };
}

export interface X11Credentials {
  readonly name: string;
  readonly data: Buffer;
}

const NO_CREDENTIALS: X11Credentials = { name: '', data: Buffer.alloc(0) };
const COOKIE = 'MIT-MAGIC-COOKIE-1';
/** Address families in an authority file. */
const FAMILY_LOCAL = 256;
const FAMILY_WILD = 65_535;

/** Reads the cookie of a display from the user's authority file; empty credentials if the file has none. */
export async function readX11Credentials(
  { env, home }: X11Session,
  displayNumber: string,
): Promise<X11Credentials> {
  const file = env['XAUTHORITY'] ?? join(home, '.Xauthority');
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  const entries = [...authorityEntries(bytes)].filter(
    (entry) => entry.name === COOKIE && (entry.displayNumber === displayNumber || entry.displayNumber === ''),
  );
  const local = entries.find(({ family, address }) => family === FAMILY_LOCAL && address === hostname());
  return local ?? entries.find(({ family }) => family === FAMILY_WILD) ?? entries[0] ?? NO_CREDENTIALS;
}

interface AuthorityEntry extends X11Credentials {
  readonly family: number;
  readonly address: string;
  readonly displayNumber: string;
}

/** An entry is family, address, display number, name and data. The last four have a length prefix; all big-endian. */
function* authorityEntries(bytes: Buffer): Generator<AuthorityEntry> {
  let offset = 0;
  const uint16 = () => {
    offset += 2;
    return offset <= bytes.length ? bytes.readUInt16BE(offset - 2) : 0;
  };
  const field = () => {
    const length = uint16();
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  while (offset + 2 <= bytes.length) {
    const family = uint16();
    const address = field().toString('latin1');
    const displayNumber = field().toString('latin1');
    yield { family, address, displayNumber, name: field().toString('latin1'), data: field() };
  }
}
