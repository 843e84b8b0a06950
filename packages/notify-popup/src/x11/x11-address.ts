import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { NetConnectOpts } from 'node:net';
import type { Machine } from '../machine/machine.ts';

const DISPLAY = /^(?:unix)?(?<host>[^:]*):(?<number>\d+)(?:\.\d+)?$/;
const FIRST_PORT = 6000;

export interface X11Address {
  readonly number: string;
  readonly connection: NetConnectOpts;
}

/** @returns undefined where `DISPLAY` names no display */
export function x11Address(display: string | undefined): X11Address | undefined {
  const { host = '', number } = DISPLAY.exec(display ?? '')?.groups ?? {};
  if (number === undefined) return undefined;
  const connection =
    host === '' ? { path: `/tmp/.X11-unix/X${number}` } : { host, port: FIRST_PORT + Number(number) };
  return { number, connection };
}

export interface X11Credentials {
  readonly name: string;
  readonly data: Buffer;
}

const NONE: X11Credentials = { name: '', data: Buffer.alloc(0) };
const COOKIE = 'MIT-MAGIC-COOKIE-1';
/** Address families in an authority file. */
const LOCAL = 256;
const WILD = 65_535;

/** The cookie for a display out of the user's authority file; none where there is none. */
export async function x11Credentials({ env, home }: Machine, number: string): Promise<X11Credentials> {
  const file = env['XAUTHORITY'] ?? join(home, '.Xauthority');
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  const entries = [...authorityEntries(bytes)].filter(
    (entry) => entry.name === COOKIE && (entry.number === number || entry.number === ''),
  );
  const own = entries.find(({ family, address }) => family === LOCAL && address === hostname());
  return own ?? entries.find(({ family }) => family === WILD) ?? entries[0] ?? NONE;
}

interface AuthorityEntry extends X11Credentials {
  readonly family: number;
  readonly address: string;
  readonly number: string;
}

/** Family, then address, number, name and data, each with its length before it, all big-endian. */
function* authorityEntries(bytes: Buffer): Generator<AuthorityEntry> {
  let offset = 0;
  const word = () => {
    offset += 2;
    return offset <= bytes.length ? bytes.readUInt16BE(offset - 2) : 0;
  };
  const field = () => {
    const length = word();
    offset += length;
    return bytes.subarray(offset - length, offset);
  };
  while (offset + 2 <= bytes.length) {
    const family = word();
    const address = field().toString('latin1');
    const number = field().toString('latin1');
    yield { family, address, number, name: field().toString('latin1'), data: field() };
  }
}
