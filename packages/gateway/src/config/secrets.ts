import { join, resolve } from 'node:path';
import { readPrivateFile } from '@deskside/core/base';
import { messageOf, StartError } from '@deskside/core/errors';
import { homeFolder } from '@deskside/core/program';

/** A reference, or `$${`, which stands for `${`. A reference without its end has no third group. */
const REFERENCE = /\$(\$\{)|\$\{([^{}]*)(\})?/g;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_FILE_BYTES = 65_536;
/** Characters. Hiding shorter values would damage every message. */
const MIN_HIDDEN = 4;

/** Where references are looked up. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of deskside.toml: paths are relative to it. */
  readonly folder: string;
}

/** Values for a server that starts. */
export interface Secrets {
  /** The text with the values of its references. @throws StartError that names a missing variable or file */
  resolve(text: string): Promise<string>;
  /** The text without the literals, and without the values that were looked up so far: for logs and messages. */
  redact(text: string): string;
}

interface Reference {
  readonly kind: 'env' | 'file';
  readonly name: string;
  /** Of a variable that is not set: `${env:NAME:-text}`. */
  readonly fallback?: string | undefined;
}

/** @returns the part of a sentence that rejects a text with a wrong reference, undefined for a valid text */
export function referenceProblem(text: string): string | undefined {
  for (const [, literal, inner = '', end] of text.matchAll(REFERENCE)) {
    if (literal !== undefined) continue;
    if (end === undefined) return 'close the reference with "}"; write "$${" for the characters "${"';
    if (referenceIn(inner) !== undefined) continue;
    if (VARIABLE.test(inner)) return `write \${env:${inner}}; for the text itself write $\${${inner}}`;
    return 'use ${env:NAME} or ${file:PATH}; write "$${" for the characters "${"';
  }
  return undefined;
}

/** True if the text has a reference, not only the characters of one. */
export function hasReference(text: string): boolean {
  return [...text.matchAll(REFERENCE)].some(([, literal]) => literal === undefined);
}

/** Secrets in arguments that begin with NUL, by what is before them. */
const SECRET_ARGUMENTS = [
  // A flag or a scheme: `--api-key KEY`, `--token=TOKEN`, `Bearer TOKEN`.
  /(?<=\0(?:--?[\w-]*(?:key|token|secret|password|passwd|credential|bearer)s?[=\0]|(?:bearer|basic) ))[^\0]+/gi,
  // The name of a header: `--header 'Authorization: Bearer TOKEN'`. The `-H tcp://HOST` of docker is an address.
  /(?<=\0(?:-H[=\0]?|--headers?[=\0])[^:=\s\0]+[:=]\s*)(?!\s|\/\/)[^\0]+/g,
  // The name of a variable: `--env NAME=VALUE`, and `run -e NAME=VALUE`. Otherwise code can follow `-e`.
  /(?<=\0(?:--env[=\0]|(?:run|exec)\0(?:.*\0)?-e[=\0]?)[A-Za-z_]\w*=)[^\0]+/gs,
  // The scheme of a URL: user and password.
  /(?<=[=\0][a-z][\w+.-]*:\/\/)[^/?#\s\0]+(?=@)/gi,
  // The name of a value in the query of a URL.
  /(?<=[=\0][a-z][\w+.-]*:\/\/[^\s\0]*[?&][^=&#\s\0]*=)[^&#\s\0]+/gi,
];

/** The secrets in arguments, also without their scheme or user. */
export function secretArguments(args: readonly string[]): readonly string[] {
  const secrets = SECRET_ARGUMENTS.flatMap((pattern) => joined(args).match(pattern) ?? []);
  return secrets.flatMap((secret) => [secret, secret.replace(/^(?:\S+ +|[^:]*:)/, '')]);
}

/** Arguments for people. */
export function shownArguments(args: readonly string[]): readonly string[] {
  const shown = SECRET_ARGUMENTS.reduce((text, pattern) => text.replaceAll(pattern, HIDDEN), joined(args));
  return shown.split('\0').slice(1);
}

function joined(args: readonly string[]): string {
  return args.map((argument) => `\0${argument}`).join('');
}

/** A URL for people: paths and queries of hosted servers often contain a key. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return HIDDEN;
  const { protocol, host, pathname, search } = parsed;
  return `${protocol}//${host}${pathname.length <= 1 && search === '' ? '' : '/…'}`;
}

/** Stands for a value that is not shown. */
export const HIDDEN = '<hidden>';

/** The text with a word instead of each reference, to check everything around them. */
export function withoutReferences(text: string): string {
  return text.replaceAll(REFERENCE, (_, literal?: string) => literal ?? 'secret');
}

/**
 * Looks up references when a server starts. The values are stored nowhere.
 *
 * @param literals texts to hide that are not references
 */
export function secretsFrom(sources: SecretSources, literals: readonly string[] = []): Secrets {
  const values = new Set(literals.flatMap(formsOf));
  return {
    async resolve(text) {
      const parts: string[] = [];
      let position = 0;
      for (const match of text.matchAll(REFERENCE)) {
        const [all, literal, inner = ''] = match;
        const reference = literal === undefined ? referenceIn(inner) : undefined;
        const value = reference === undefined ? undefined : await valueOf(reference, sources);
        for (const form of formsOf(value ?? '')) values.add(form);
        parts.push(text.slice(position, match.index), value ?? literal ?? all);
        position = match.index + all.length;
      }
      return parts.join('') + text.slice(position);
    },
    redact(text) {
      // The longest first: one value may contain another.
      const known = [...values].toSorted((a, b) => b.length - a.length);
      return known.reduce((redacted, value) => redacted.replaceAll(value, HIDDEN), text);
    },
  };
}

/** A value as other programs repeat it: its lines, also as a part of a URL or of JSON. */
function formsOf(value: string): readonly string[] {
  const lines = value.toWellFormed().split(/\r?\n/);
  return lines.flatMap((line) => {
    if (line.length < MIN_HIDDEN) return [];
    const inJson = JSON.stringify(line).slice(1, -1);
    return [line, inJson, encodeURI(line), encodeURIComponent(line)];
  });
}

function referenceIn(inner: string): Reference | undefined {
  const [, kind, name = ''] = /^(env|file):([^\0]+)$/.exec(inner) ?? [];
  if (kind === 'file' && name.trim() === name) return { kind, name };
  if (kind !== 'env') return undefined;
  const [, variable = '', fallback] = /^(.*?)(?::-(.*))?$/s.exec(name) ?? [];
  return VARIABLE.test(variable) ? { kind, name: variable, fallback } : undefined;
}

async function valueOf({ kind, name, fallback }: Reference, { env, folder }: SecretSources): Promise<string> {
  if (kind === 'file') return contentOf(pathOf(name, folder));
  const value = env[name] || fallback;
  if (value === undefined) {
    throw new StartError(
      `The variable ${name} is not set. Set it where Deskside starts, or use \${file:PATH}.`,
    );
  }
  return value;
}

/** A path of deskside.toml. */
export function pathOf(name: string, folder: string): string {
  return name.startsWith('~/') ? join(homeFolder(), name.slice(2)) : resolve(folder, name);
}

/** Container runtimes put secrets there, readable for all users of the container. */
const CONTAINER_SECRETS = /^\/(?:var\/)?run\/secrets\//;

async function contentOf(file: string): Promise<string> {
  try {
    const mayBeShared = CONTAINER_SECRETS.test(file);
    const content = await readPrivateFile(file, { maxBytes: MAX_FILE_BYTES, mayBeShared });
    if (content === undefined) throw new Error('it does not exist');
    const text = content.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
    if (text === '') throw new Error('it is empty');
    return text;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The secret in ${file} cannot be read: ${messageOf(error)}. Correct it.`, {
      cause: error,
    });
  }
}
