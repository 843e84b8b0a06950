import { readFileSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { type Configuration, nothingConfigured } from './schema.ts';
import { parseConfiguration, type ParsedConfiguration } from './parse-configuration.ts';

/** @param mustExist whether it is a problem that there is none, as where somebody named it */
export function readConfiguration(path: string, mustExist: boolean): ParsedConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !mustExist) return { configuration: nothingConfigured, problems: [] };
    const why = code === 'ENOENT' ? 'there is no such file' : `it can't be read (${String(code)})`;
    return { configuration: undefined, problems: [`${why}.`] };
  }
  const parsed = parseConfiguration(text);
  if (parsed.configuration === undefined) return parsed;
  return { ...parsed, problems: [...parsed.problems, ...secretsInTheOpen(path, parsed.configuration)] };
}

function secretsInTheOpen(path: string, configuration: Configuration): readonly string[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  // Windows knows no such bits, and reports them as set.
  const isOpen = platform() !== 'win32' && (mode & 0o077) !== 0;
  return hasSecrets(configuration) && isOpen
    ? ['others can read it, and it holds secrets: chmod 600 it.']
    : [];
}

function hasSecrets({ webhook, apprise, ntfy }: Configuration): boolean {
  return (
    webhook.some(({ secret }) => secret !== undefined) ||
    ntfy.some(({ token }) => token !== undefined) ||
    [...webhook, ...apprise].some(({ headers = {} }) => Object.keys(headers).some(isForSecrets)) ||
    [...webhook, ...apprise, ...ntfy].some(({ url }) => url !== undefined && hasUser(url))
  );
}

function isForSecrets(header: string): boolean {
  return /auth|cookie|key|secret|token/i.test(header);
}

function hasUser({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}
