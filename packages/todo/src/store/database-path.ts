import { fileURLToPath } from 'node:url';

/** A single letter before the colon is a Windows drive, not a URL scheme. */
const URL_SCHEME = /^([a-z][a-z\d+.-]+):/i;

/** SQLite's URL parameters would be ignored, and relative file: URLs have no standard meaning. */
const ABSOLUTE_FILE_URL = /^file:\/[^?#]*$/i;

const POSTGRES_URL = /^postgres(?:ql)?:\/\/[^/]/i;

/**
 * @param database a path, `:memory:`, an absolute `file:` URL, or a `postgres://` URL
 * @returns the path, `:memory:`, or the `postgres://` URL
 * @throws an Error for any other URL. The message does not repeat the URL, which can contain a password.
 */
export function databasePath(database: string): string {
  const [, scheme] = URL_SCHEME.exec(database.trim()) ?? [];
  switch (scheme?.toLowerCase()) {
    case undefined:
      return database;
    case 'file':
      return filePath(database.trim());
    case 'postgres':
    case 'postgresql':
      return postgresUrl(database.trim());
    default:
      throw new Error(`${scheme}: is not supported; use the path of a file, or a postgres: URL`);
  }
}

export function isPostgresUrl(database: string): boolean {
  return POSTGRES_URL.test(database);
}

/** @throws an Error that does not repeat the URL */
export function postgresUrl(url: string): string {
  if (isPostgresUrl(url) && URL.canParse(url)) return url;
  throw new Error('use a URL like postgres://user:password@host:5432/database');
}

/** The URL for people: parameters may contain secrets too. */
export function withoutPassword(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

function filePath(url: string): string {
  try {
    if (ABSOLUTE_FILE_URL.test(url)) return fileURLToPath(url);
  } catch {
    // The URL has a host, or a character that a path can't contain.
  }
  throw new Error('use a file: URL like file:///srv/todo.sqlite without parameters, or the path of a file');
}
