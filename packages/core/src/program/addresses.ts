import { isAbsolute, join, resolve } from 'node:path';
import { StartError } from '../errors/index.ts';
import { escapeInvisible } from '../text/index.ts';
import { homeFolder } from './folders.ts';

/** What an option accepts as the place of something. */
export interface AddressKind {
  /** Whether it can be a path of this machine. */
  readonly isPath: boolean;
  /** The URL schemes that the option knows, without colon. Default: none for a path, else all. */
  readonly schemes?: readonly string[];
  /** Words that are neither a path nor a URL: `:memory:`. */
  readonly words?: readonly string[];
}

export interface AddressSource {
  /** Whether a person typed it in a shell: only then the current folder is the one that the person means. */
  readonly isTyped: boolean;
  /** Default: that of this process. */
  readonly currentFolder?: string;
  /** Default: the home folder of this user. */
  readonly home?: () => string;
}

/** Quotation marks that a shell, a JSON editor or a word processor leaves around a value. */
const QUOTES: readonly string[] = ['""', "''", '``', '“”', '‘’'];
const MARKS = /^["'`“”‘’]|["'`“”‘’]$/;

/** A single letter before the colon is a Windows drive. */
const SCHEME = /^([a-z][a-z\d+.-]+):/i;

/** What only a shell or a client replaces. Two hexadecimal digits are a part of a URL: `%2F`. */
const PLACEHOLDER = /\$\{|\{\{|^\$|\/\$[a-z_]|%(?![\da-f]{2})[a-z_][\w()]*%/i;
const ASSIGNMENT = /^[\w .-]*=/;

/**
 * Reads the place of something as people, env files and the configurations of clients write it. Surrounding quotation marks and
 * blanks are removed, and `~/` is the home folder.
 *
 * @returns an absolute path, one of the words, or the URL
 * @throws StartError that does not repeat the value, which can contain a password
 */
export function readAddress(text: string, kind: AddressKind, source: AddressSource): string {
  const value = unquoted(text);
  const { isPath, schemes, words = [] } = kind;
  if (value === '') throw new StartError('the value is empty');
  if (escapeInvisible(value) !== value)
    throw new StartError('it contains an invisible character: type it again');
  if (MARKS.test(value)) throw new StartError('it has a quotation mark at one end: remove it');
  // `-` is standard input or output.
  if (words.includes(value) || value === '-') return value;
  if (PLACEHOLDER.test(value)) {
    throw new StartError('it contains a variable, which nothing replaces: write the value, in a URL encoded');
  }
  if (ASSIGNMENT.test(value)) {
    throw new StartError(`it begins with a name and "=": use ${wanted(kind)} alone`);
  }
  const [, scheme] = SCHEME.exec(value) ?? [];
  if (scheme !== undefined) {
    if (schemes === undefined ? !isPath : schemes.includes(scheme.toLowerCase())) return value;
    throw new StartError(`${scheme}: is not supported: use ${wanted(kind)}`);
  }
  // Its field says what it needs.
  if (!isPath) return value;
  return pathOf(value, kind, source);
}

/** More than one pair, as of a quoted value in a quoted line. */
function unquoted(text: string): string {
  const value = text.trim();
  const end = QUOTES.find(([begin]) => begin === value.charAt(0))?.charAt(1);
  return end !== undefined && value.length > 1 && value.endsWith(end) ? unquoted(value.slice(1, -1)) : value;
}

function pathOf(value: string, kind: AddressKind, source: AddressSource): string {
  const { isTyped, currentFolder = process.cwd(), home: homeOf = homeFolder } = source;
  if (value === '~') return homeOf();
  if (/^~[/\\]/.test(value)) return join(homeOf(), value.slice(2));
  if (value.startsWith('~')) throw new StartError('~ with a name is not supported: use the absolute path');
  if (isAbsolute(value)) return value;
  // A URL without its colon, or without its scheme: its parts would become folders.
  if (/^[a-z][\w+.-]*\/\//i.test(value) || /^[^/\\]*[@]/.test(value))
    throw new StartError(`use ${wanted(kind)}`);
  const absolute = resolve(currentFolder, value);
  if (isTyped) return absolute;
  throw new StartError(
    `a relative path depends on the folder of the client: use the absolute path, such as ${absolute}`,
  );
}

function wanted({ isPath, schemes = [] }: AddressKind): string {
  const url =
    schemes.length === 0 ? 'a URL' : `a URL with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
  if (!isPath) return url;
  return schemes.length === 0 ? 'the path' : `the path of a file, or ${url}`;
}
