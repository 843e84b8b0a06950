import { fileURLToPath } from 'node:url';

/** A single letter before the colon is a Windows drive, not a URL scheme. */
const URL_SCHEME = /^([a-z][a-z\d+.-]+):/i;

/** SQLite's URL parameters would be ignored, and relative file: URLs have no standard meaning. */
const ABSOLUTE_FILE_URL = /^file:\/[^?#]*$/i;

/** What `database` and `migrationUrl` accept besides paths. */
export const POSTGRES_SCHEMES = ['postgres', 'postgresql'];

/** A password may contain each character: what is before the first `@` behind which the rest is hosts, database and parameters. */
const POSTGRES_URL =
  /^(?<scheme>postgres(?:ql)?):\/\/(?:(?<user>[^:@]*)(?::(?<password>.*?))?@)?(?<hosts>[^@/?#]+)(?<rest>\/[^@/?#]*)?(?<parameters>\?(?:\w+=[^#&@]*&?)*)?$/is;

/**
 * @param database a path, `:memory:`, an absolute `file:` URL, or a `postgres://` URL
 * @returns the path, `:memory:`, or the `postgres://` URL in its standard form
 * @throws an Error for any other URL. The message does not repeat the URL, which can contain a password.
 */
export function databasePath(database: string): string {
  const [, scheme = ''] = URL_SCHEME.exec(database.trim()) ?? [];
  if (scheme === '') return database;
  if (POSTGRES_SCHEMES.includes(scheme.toLowerCase())) return postgresUrl(database);
  if (scheme.toLowerCase() === 'file') return filePath(database.trim());
  throw new Error(`${scheme}: is not supported; use the path of a file, or a postgres: URL`);
}

export function isPostgresUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/**
 * @param url as a person writes it, or as this returns it
 * @returns a URL with encoded user and password per host, with a blank between them
 * @throws an Error that does not repeat the URL
 */
export function postgresUrl(url: string): string {
  const known = hostsOf(url);
  if (known.length > 1 && known.every((each) => isPostgresUrl(each) && URL.canParse(each))) return url;
  const {
    scheme = '',
    user = '',
    password,
    hosts = '',
    rest = '',
    parameters = '',
  } = POSTGRES_URL.exec(url.trim())?.groups ?? {};
  const encoded = [user, ...(password === undefined ? [] : [password])].map(encodedOnce).join(':');
  const end = `${rest}${parameters}`.replaceAll(/\s/g, encodeURIComponent);
  const standard = hosts.split(',').map((host) => {
    return `${scheme}://${encoded === '' ? '' : `${encoded}@`}${host.trim()}${end}`;
  });
  if (scheme === '' || !standard.every((each) => URL.canParse(each)))
    throw new Error(
      'use a URL like postgres://user:password@host:5432/database, with %40 for an @ in a part',
    );
  return standard.join(' ');
}

/** One URL per host. @param url from `postgresUrl` */
export function hostsOf(url: string): readonly string[] {
  return url.split(' ');
}

/** The URL for people: parameters may contain secrets too. */
export function withoutPassword(url: string): string {
  const [first = '', ...others] = hostsOf(url).map((each) => new URL(each));
  if (first === '') return '';
  const { protocol, username, pathname } = first;
  const hosts = [first, ...others].map(({ host }) => host).join(',');
  return `${protocol}//${username === '' ? '' : `${username}@`}${hosts}${pathname}`;
}

/** A part of a URL that may be encoded or not. */
function encodedOnce(part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part));
  } catch {
    return encodeURIComponent(part);
  }
}

function filePath(url: string): string {
  try {
    if (ABSOLUTE_FILE_URL.test(url)) return fileURLToPath(url);
  } catch {
    // The URL has a host, or a character that a path can't contain.
  }
  throw new Error('use a file: URL like file:///srv/todo.sqlite without parameters, or the path of a file');
}
