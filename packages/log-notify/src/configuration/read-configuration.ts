import { readFileSync, statSync } from 'node:fs';
import { platform } from 'node:os';
import { type Configuration, nothingConfigured } from './schema.ts';
import { parseConfiguration, type ParsedConfiguration } from './parse-configuration.ts';

/**
 * Reads a configuration file. That it is missing is a problem only where somebody named it.
 *
 * @param isNamed false for the place where it is looked for by default
 */
export function readConfiguration(path: string, isNamed: boolean): ParsedConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !isNamed) return { configuration: nothingConfigured, problems: [] };
    return { configuration: undefined, problems: [`it can't be read (${String(code)}).`] };
  }
  const parsed = parseConfiguration(text);
  if (parsed.configuration === undefined) return parsed;
  return { ...parsed, problems: [...parsed.problems, ...secretsInTheOpen(path, parsed.configuration)] };
}

function secretsInTheOpen(path: string, { webhook, ntfy }: Configuration): readonly string[] {
  const hasSecrets =
    webhook.some(({ secret }) => secret !== undefined) || ntfy.some(({ token }) => token !== undefined);
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  // Windows knows no such bits, and reports them as set.
  const isOpen = platform() !== 'win32' && (mode & 0o077) !== 0;
  return hasSecrets && isOpen ? ['others can read it, and it holds secrets: chmod 600 it.'] : [];
}
