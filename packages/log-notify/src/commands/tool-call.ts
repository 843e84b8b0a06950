import { basename } from 'node:path';
import { isObject } from '@deskside/core/base';
import { codePointLength, firstCodePoints } from '@deskside/core/text';

/** A longer command has a line of its own. */
const MAX_INLINE_CODE_POINTS = 60;
const MAX_DETAIL_CODE_POINTS = 400;

export type Fields = Readonly<Record<string, unknown>>;

/** What a person reads of a call that an agent asks to make. */
export interface ToolCall {
  /** After `It`: `wants to run …`. */
  readonly what: string;
  /** More of it, one thing per line. */
  readonly details: readonly string[];
}

type Kind = 'run' | 'edit' | 'write' | 'read' | 'fetch' | 'search' | 'delegate';

/** The tools of the hosts: their names in lower case, without `_` and `-`. */
const KINDS: readonly (readonly [kind: Kind, names: readonly string[]])[] = [
  [
    'run',
    ['bash', 'shell', 'runshellcommand', 'exec', 'execcommand', 'localshell', 'powershell', 'bashoutput'],
  ],
  ['edit', ['edit', 'multiedit', 'notebookedit', 'replace', 'applypatch', 'strreplaceeditor', 'patch']],
  ['write', ['write', 'writefile', 'create', 'createfile']],
  ['read', ['read', 'readfile', 'readmanyfiles', 'view', 'ls', 'listdirectory', 'glob', 'grep']],
  ['fetch', ['webfetch', 'fetch', 'fetchwebpage']],
  ['search', ['websearch', 'googlewebsearch']],
  ['delegate', ['task', 'agent', 'spawnagent']],
];

const FILE_FIELDS = [
  'file_path',
  'filePath',
  'filepath',
  'path',
  'absolute_path',
  'notebook_path',
  'fileName',
];
/** What says most about a call whose tool is not known, the best one first. */
const TELLING_FIELDS = [
  'title',
  'name',
  'subject',
  'description',
  'query',
  'message',
  'text',
  'url',
  'path',
  'id',
];
/** The files of a patch. */
const PATCHED = /^\*\*\* (?:Update|Add|Delete) File: (?<file>.+)$/gm;
const MCP_TOOL = /^(?:mcp__(?<server>.+?)__|(?<slashed>[^/]+)\/)(?<tool>.+)$/;

/** @param tool the host's name of the tool */
export function toolCall(tool: string, input: Fields): ToolCall {
  const description = textIn(input, 'description');
  const kind = kindOf(tool);
  switch (kind) {
    case 'run':
      return command(input, description);
    case 'edit':
    case 'write':
    case 'read':
      return files(kind, input);
    case 'fetch':
      return called('fetch a page', textIn(input, 'url', 'prompt'));
    case 'search':
      return called('search the web', textIn(input, 'query'));
    case 'delegate':
      return called('start a helper', textIn(input, 'description', 'prompt'));
    case undefined:
      return unknown(tool, input);
  }
}

function kindOf(tool: string): Kind | undefined {
  const name = tool.toLowerCase().replaceAll(/[_-]/g, '');
  return KINDS.find(([, names]) => names.includes(name))?.[0];
}

function command({ command: given }: Fields, description: string | undefined): ToolCall {
  const text = textIn({ text: Array.isArray(given) ? textsIn(given).join(' ') : given }, 'text');
  if (text === undefined) return called('run a command', description);
  const isShort = codePointLength(text) <= MAX_INLINE_CODE_POINTS && !text.includes('\n');
  if (isShort) return called(`run \`${text}\``, description);
  return { what: 'wants to run a command', details: [description ?? [], text].flat() };
}

function files(verb: string, input: Fields): ToolCall {
  const patches = textsIn([input['patch'], input['input'], input['command']]);
  const patched = [...patches.join('\n').matchAll(PATCHED)].map(({ groups }) => groups?.['file'] ?? '');
  const single = textIn(input, ...FILE_FIELDS) ?? [];
  const all = [...new Set([...patched, ...textsIn(input['files']), single].flat())];
  const [file] = all;
  if (file === undefined) return called(`${verb} files`, textIn(input, 'pattern'));
  if (all.length > 1) return { what: `wants to ${verb} ${all.length} files`, details: all };
  return called(`${verb} ${basename(file.replaceAll('\\', '/'))}`, file);
}

/** A tool of an MCP server (Copilot CLI: `server/tool`), or of a host that this version does not know. */
function unknown(tool: string, input: Fields): ToolCall {
  const { server: prefixed, slashed, tool: own } = MCP_TOOL.exec(tool)?.groups ?? {};
  const server = prefixed ?? slashed;
  const telling = textIn(input, ...TELLING_FIELDS);
  if (server === undefined || own === undefined) return called(`use ${wordsOf(tool)}`, telling);
  const plain = server.replace(/^plugin_.+?_/, '');
  return called(`call ${wordsOf(plain)} › ${wordsOf(own)}`, telling);
}

function called(what: string, detail: string | undefined): ToolCall {
  return { what: `wants to ${what}`, details: detail === undefined ? [] : [detail] };
}

function wordsOf(name: string): string {
  return name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .trim();
}

/** @returns undefined for an empty text */
export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = fields[name];
    if (typeof text === 'string' && text.trim() !== '') return firstCodePoints(text, MAX_DETAIL_CODE_POINTS);
  }
  return undefined;
}

/** The strings in a list, without its other values. Empty if the value is not a list. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The questions of `AskUserQuestion` and its like, each with its choices. */
export function questionsIn(input: Fields): string | undefined {
  const questions = Array.isArray(input['questions']) ? input['questions'] : [input];
  const texts = questions.filter(isObject).flatMap((question) => {
    const text = textIn(question, 'question', 'prompt', 'message');
    if (text === undefined) return [];
    const options = [question['options'], question['choices']].find((each) => Array.isArray(each)) ?? [];
    const labels = options.flatMap((option: unknown) => {
      if (typeof option === 'string') return [option];
      return (isObject(option) ? textIn(option, 'label', 'value') : undefined) ?? [];
    });
    return [[text, ...labels.map((label) => `- ${label}`)].join('\n')];
  });
  return texts.length === 0 ? undefined : texts.join('\n\n');
}
