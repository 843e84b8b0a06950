import type { Setting } from './options.ts';

/** The settings part of a `--help` text: what to write, then what it does. */
export function settingsHelp(settings: readonly Setting[]): string {
  return settings.map(helpOf).join('\n');
}

function helpOf({ flag, env, placeholder, description, default: value }: Setting): string {
  const name =
    flag === undefined
      ? `${env}=${placeholder}`
      : `--${flag}${placeholder === undefined ? '' : ` ${placeholder}`}`;
  const notes = [flag === undefined ? [] : env, isShown(value) ? `default ${value}` : []].flat();
  return `  ${name}${notes.length === 0 ? '' : `  (${notes.join(', ')})`}\n      ${description}`;
}

function isShown(value: unknown): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value !== '');
}
