import { fileURLToPath } from 'node:url';

/** A single letter before the colon is a Windows drive, not a URL scheme. */
const URL_SCHEME = /^([a-z][a-z\d+.-]+):/i;

/** SQLite's URL parameters would be ignored, and relative file: URLs have no standard meaning. */
const ABSOLUTE_FILE_URL = /^file:\/[^?#]*$/i;

/**
 * @param database a path, `:memory:`, or an absolute `file:` URL
 * @returns the path, or `:memory:`
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
      throw new Error('PostgreSQL is not supported yet; use the path of a file');
    default:
      throw new Error(`${scheme}: is not supported; use the path of a file`);
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
