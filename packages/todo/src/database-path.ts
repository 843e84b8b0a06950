import { fileURLToPath } from 'node:url';

/** An address of some kind; a single letter is a Windows drive. */
const ADDRESS = /^([a-z][a-z\d+.-]+):/i;

/** SQLite's settings in a URL would be lost, and a relative one has no agreed meaning. */
const ABSOLUTE_FILE_URL = /^file:\/[^?#]*$/i;

/**
 * @param database a path, `:memory:`, or an absolute `file:` URL
 * @returns the path, or `:memory:`
 * @throws an Error that says what to give, for any other address; it repeats no password that may stand in it
 */
export function databasePath(database: string): string {
  const [, scheme] = ADDRESS.exec(database.trim()) ?? [];
  switch (scheme?.toLowerCase()) {
    case undefined:
      return database;
    case 'file':
      return pathOf(database.trim());
    case 'postgres':
    case 'postgresql':
      throw new Error('PostgreSQL is not supported yet; give the path of a file');
    default:
      throw new Error(`${scheme}: is not supported; give the path of a file`);
  }
}

function pathOf(url: string): string {
  try {
    if (ABSOLUTE_FILE_URL.test(url)) return fileURLToPath(url);
  } catch {
    // A host, or a character that no path can hold.
  }
  throw new Error('use a file: URL like file:///srv/todo.sqlite, without settings, or the path of a file');
}
