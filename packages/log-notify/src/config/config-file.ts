import { readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { privacyProblem } from '@deskside/core/base';
import { type ParsedConfiguration, parseConfiguration } from './parse-config.ts';
import { type Configuration, emptyConfiguration } from './schema.ts';

const POLL_MS = 1000;

/** @param mustExist report a missing file, because the person named it */
export function readConfiguration(path: string, mustExist: boolean): ParsedConfiguration {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && !mustExist) return { configuration: emptyConfiguration, problems: [] };
    const problem = code === 'ENOENT' ? 'the file does not exist' : `cannot read the file (${String(code)})`;
    return { configuration: undefined, problems: [`${problem}.`] };
  }
  const parsed = parseConfiguration(text);
  if (parsed.configuration === undefined) return parsed;
  return { ...parsed, problems: [...parsed.problems, ...permissionProblems(path, parsed.configuration)] };
}

function permissionProblems(path: string, configuration: Configuration): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  const found = stats && privacyProblem(path, stats);
  return found !== undefined && hasSecrets(configuration)
    ? [`the file contains secrets. ${found.problem} ${found.remedy}`]
    : [];
}

/** The URL of a Slack or Discord webhook is its password. */
function hasSecrets({ webhook, apprise, ntfy, slack, discord, telegram }: Configuration): boolean {
  return (
    slack.length + discord.length + telegram.length > 0 ||
    webhook.some(({ secret }) => secret !== undefined) ||
    ntfy.some(({ token }) => token !== undefined) ||
    [...webhook, ...apprise].some(({ headers = {} }) => Object.keys(headers).some(isSecretHeader)) ||
    [...webhook, ...apprise, ...ntfy].some(({ url }) => url !== undefined && hasCredentials(url))
  );
}

function isSecretHeader(header: string): boolean {
  return /auth|cookie|key|secret|token/i.test(header);
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

interface FileStatus {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

/**
 * Polls a file once per second and calls back when it changes, appears or disappears. The first status is taken
 * synchronously, so a read after this call misses no change.
 *
 * @returns a function that stops polling; the timer does not keep the process alive
 */
export function watchFile(path: string, onChange: () => void): () => void {
  let known = fingerprint(currentStatus(path));
  const poll = async () => {
    const now = fingerprint(await stat(path).catch(() => undefined));
    if (now === known) return;
    known = now;
    onChange();
  };
  const timer = setInterval(() => void poll(), POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function currentStatus(path: string): FileStatus | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function fingerprint(status: FileStatus | undefined): string {
  return status === undefined ? 'none' : `${status.mtimeMs} ${status.size} ${status.ino}`;
}
