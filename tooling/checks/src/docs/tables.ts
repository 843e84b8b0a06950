import { httpOptions, stdioOptions } from '@deskside/aggregator';
import { CLIENTS, limitsOf } from '@deskside/connect';
import {
  commonOptions,
  defaultOf,
  defineOptions,
  flagForm,
  logFields,
  type Options,
  type Setting,
} from '@deskside/core/program';
import { optionsIn } from '../build/first-answers.ts';
import { tableRow } from './sections.ts';
import { servers, toolsIn, type WorkspacePackage } from '../workspace.ts';

/** One line per setting. Defaults as `--help` shows them, except paths: those are written for any machine. */
export function optionsList(settings: readonly Setting[]): string {
  return settings
    .map((setting) => {
      const names = [setting.flag === undefined ? undefined : flagForm(setting), setting.env];
      const title = names.flatMap((name) => (name === undefined ? [] : code(name))).join(', ');
      const value = setting.defaultText ?? defaultOf(setting) ?? '';
      return line(`- ${title}: ${setting.description}${value === '' ? '' : ` Default: ${value}.`}`);
    })
    .join('\n');
}

const NOTES: Readonly<Record<string, string>> = {
  'claude-desktop': 'quit it first; it may remove servers from its file when it starts',
};

/** A row per client that `connect` knows, and what it cannot do. */
export function clientsTable(): string {
  const rows = CLIENTS.map((client) => {
    const notes = [NOTES[client.id], ...limitsOf(client)].filter((note) => note !== undefined);
    return tableRow([client.title, `\`./deskside connect ${client.id}\``, notes.join('; ')]);
  });
  return ['| Client | Command in a clone | Good to know |', '| --- | --- | --- |', ...rows].join('\n');
}

/** One line per tool: what it does to data, and the first sentence that a model reads. */
export function toolsList({ directory, manifest }: WorkspacePackage): string {
  const lines = toolsIn(directory).map(({ name, description, annotations }) => {
    const effect =
      annotations['readOnlyHint'] === true
        ? 'reads'
        : annotations['destructiveHint'] === true
          ? 'changes, deletes'
          : 'changes';
    return line(`- ${code(name)} (${effect}): ${firstSentence(description)}`);
  });
  const specified = manifest.deskside?.specifiedTools ?? lines.length;
  const beyond = lines.slice(specified);
  return [
    ...lines.slice(0, specified),
    ...(beyond.length === 0 ? [] : ['', 'Beyond the specification:', '', ...beyond]),
    '',
    '[tools.json](tools.json) has their arguments.',
  ].join('\n');
}

/** Models read the whole description; the README shows its first sentence. */
function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

function code(text: string): string {
  return `\`${text}\``;
}

function line(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

const own: Readonly<Record<string, Options>> = Object.fromEntries(
  await Promise.all(servers.map(async ({ name, directory }) => [name, await optionsIn(directory)] as const)),
);

/** A program's own settings in the order of its help. The README of core has those that are the same in every server. */
export function settingsOf(name: string): readonly Setting[] {
  const { settings } = name === '@deskside/aggregator' ? httpOptions : ownOptions(name);
  const common = new Set(commonOptions().settings.map(({ key }) => key));
  return settings.filter(({ key }) => !common.has(key));
}

/** The settings of every server, with the port of none. */
export function commonSettings(): readonly Setting[] {
  return commonOptions().settings.filter(({ flag }) => flag !== 'port');
}

/** The options that a program reads when a client starts it over stdio. */
export function stdioOptionsOf(name: string) {
  return name === '@deskside/aggregator'
    ? { programs: [stdioOptions, ...Object.values(own)], hasFile: true }
    : { programs: [ownOptions(name), defineOptions('DESKSIDE', logFields)], hasFile: false };
}

function ownOptions(name: string): Options {
  const options = own[name];
  if (options === undefined) throw new Error(`${name} has options, but tables.ts does not import them`);
  return options;
}
