import type { Json } from './dialects.ts';
import { driven, type Line, type Run } from './drive.ts';
import type { Host } from './hosts.ts';
import { measureDenial, measureSearch } from './questions.ts';
import { SEARCHES, type Step } from './scripted-model.ts';

/** How much of an answer the model reads. */
export type Share = 'whole' | 'partly' | 'nothing';

/** What one host did. It is stored, and the page is made of it. */
export interface Measured {
  readonly title: string;
  readonly version: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly protocol: string;
  /** Capabilities that it declares. */
  readonly declares: readonly string[];
  /** Lists that it asks for. */
  readonly lists: readonly string[];
  /** Tools with their schemas in the first request to the model, of all in `tools/list`, and their size. */
  readonly tools: { readonly shown: number; readonly listed: number; readonly bytes: number };
  /** `popup_notify` and `log_notify` are among them. */
  readonly loadsQuestions: boolean;
  /** The tool for views only is offered to the model. */
  readonly offersViews: boolean;
  readonly showsOutputSchemas: boolean;
  /** Characters of the instructions in the first request, of all. */
  readonly instructions: readonly [number, number];
  readonly results: Readonly<Record<string, Share>>;
  /** Calls without a rule for them. */
  readonly unasked: Readonly<Record<string, Permission>>;
  /** How it answers a form without a terminal; undefined if it has no forms. */
  readonly form?: string;
  /** What the model reads of a call through `call_tool`, and of a call that the person denied. */
  readonly searched?: string;
  readonly denied?: string;
}

/** How many first turns had the tools, of how many starts. */
export interface FirstTurns {
  readonly ready: number;
  readonly of: number;
}

type Permission = 'runs' | 'refused' | 'not offered';

export const SCRIPT: readonly Step[] = [
  { tool: 'todo_add_task', args: { user_id: 'me', title: 'Buy milk' } },
  { tool: 'todo_list_tasks', args: { user_id: 'me' } },
  { tool: 'todo_delete_task', args: { user_id: 'me', task_id: 999 } },
  { tool: 'sample_list', args: {} },
  { tool: 'sample_fail', args: {} },
  { tool: 'sample_picture', args: {} },
  // There is no screen on which the person could allow it.
  { tool: 'sample_remove', args: { name: 'first' } },
  { tool: 'popup_notify', args: { message: 'Which color?', options: ['Red', 'Blue'] } },
];
const UNASKED: readonly Step[] = [
  { tool: 'log_notify', args: { message: 'Bench' } },
  { tool: 'popup_notify', args: { message: 'Which color?' } },
];
const LIMIT_MS = 120_000;
const FIRST_TURNS = 3;
/** Fewer are a coincidence. */
const MIN_SHOWN_CHARACTERS = 50;
/** Of a request in the place of the one with the answer. */
const NO_RESULT = 'null';
const PREFIX = 'io.modelcontextprotocol/';

/** @throws Error if a run shows less than the whole: what is stored stays */
export async function measure(host: Host): Promise<Measured> {
  const unasked: Record<string, Permission> = {};
  for (const step of UNASKED)
    unasked[step.tool] = permissionOf(step.tool, await driven(host, [step], LIMIT_MS, { isAllowed: false }));
  return {
    title: host.title,
    version: host.install.split('@').at(-1) ?? '',
    ...factsOf(await driven(host, SCRIPT, LIMIT_MS)),
    unasked,
    searched: await measureSearch(host),
    denied: await measureDenial(host),
  };
}

/** Each start finds no desk. @throws Error if one makes no request */
export async function measureFirstTurns(host: Host): Promise<FirstTurns> {
  let ready = 0;
  for (let start = 0; start < FIRST_TURNS; start += 1) {
    const { first, output } = await driven(host, [], LIMIT_MS, { isConnected: true });
    if (first === undefined) throw new Error(`its model got no request: ${output}`);
    if (first.body.includes('popup_notify')) ready += 1;
  }
  return { ready, of: FIRST_TURNS };
}

/** @throws Error if the host did not list the tools, if its model had none at first, or if an answer is missing */
export function factsOf({ first, got, missing, lines, output }: Run) {
  const listed = resultsOf(lines, 'tools/list').flatMap(({ tools }) => tools as { name: string }[]);
  if (first === undefined || listed.length === 0) throw new Error(`it did not list the tools: ${output}`);
  const shown = first.tools.filter(({ name }) => listed.some((tool) => name.endsWith(tool.name)));
  const canSearch = first.tools.some(({ name }) => Object.hasOwn(SEARCHES, name));
  if (shown.length === 0 && !canSearch) throw new Error('its first request had no tool of Deskside');
  const [step] = missing;
  if (step !== undefined) throw new Error(`its model was not offered ${step.tool}`);
  const unread = SCRIPT.find((_, index) => (got[index]?.result ?? NO_RESULT) === NO_RESULT);
  if (unread !== undefined) throw new Error(`its model read no answer of ${unread.tool}: ${output}`);
  const asked = lines.flatMap(({ side, message: { method } }) =>
    side === 'host' && method ? [String(method)] : [],
  );
  const answers = resultsOf(lines, 'tools/call').filter(({ resultType }) => resultType !== 'input_required');
  const introduction = introductionOf(lines);
  const form = formOf(lines);
  if (form === undefined && introduction.declares.includes('elicitation'))
    throw new Error('it declares forms, and answered none');
  return {
    ...introduction,
    lists: [...new Set(asked.filter((method) => method.endsWith('/list')))],
    tools: {
      shown: shown.length,
      listed: listed.length,
      bytes: shown.reduce((sum, { bytes }) => sum + bytes, 0),
    },
    loadsQuestions: UNASKED.every(({ tool }) => shown.some(({ name }) => name.endsWith(tool))),
    offersViews: first.body.includes('manictime_render_day'),
    showsOutputSchemas: first.body.includes('outputSchema'),
    instructions: shownPart(first.body, instructionsOf(lines)),
    results: Object.fromEntries(got.map(({ tool, result }, at) => [tool, shareOf(result, answers[at])])),
    ...(form === undefined ? {} : { form }),
  };
}

/** The server's results of a method, in the order of the requests. */
function resultsOf(lines: readonly Line[], method: string): readonly Json[] {
  return lines
    .filter(({ side, message }) => side === 'host' && message['method'] === method)
    .flatMap(({ message: { id } }) => {
      const answer = lines.find(
        ({ side, message }) => side === 'server' && message['id'] === id && 'result' in message,
      );
      return answer === undefined ? [] : [answer.message['result'] as Json];
    });
}

function introductionOf(lines: readonly Line[]): Pick<Measured, 'clientInfo' | 'protocol' | 'declares'> {
  const paramsOf = (wanted: string) =>
    lines.find(({ message: { method } }) => method === wanted)?.message['params'];
  const { _meta: envelope } = paramsOf('tools/list') ?? {};
  const { clientInfo, capabilities, protocolVersion } = paramsOf('initialize') ?? {
    clientInfo: envelope[`${PREFIX}clientInfo`],
    capabilities: envelope[`${PREFIX}clientCapabilities`],
    protocolVersion: envelope[`${PREFIX}protocolVersion`],
  };
  const { extensions = {}, experimental: _, ...others } = capabilities;
  return {
    clientInfo: { name: clientInfo.name, version: clientInfo.version },
    protocol: protocolVersion,
    declares: [...Object.keys(others), ...Object.keys(extensions)],
  };
}

function instructionsOf(lines: readonly Line[]): string {
  const greetings = [...resultsOf(lines, 'initialize'), ...resultsOf(lines, 'server/discover')];
  const text = greetings.at(-1)?.['instructions'];
  return typeof text === 'string' ? text : '';
}

/** Compares texts as they are, whatever a host has done to quotes, spaces and line ends. */
function plain(text: string): string {
  return text.replaceAll(/\\+[nt]|[\\\s]/g, '');
}

function shownPart(body: string, text: string): readonly [number, number] {
  const [all, wanted] = [plain(body), plain(text)];
  let length = wanted.length;
  while (length > 0 && !all.includes(wanted.slice(0, length))) length = Math.floor(length * 0.9);
  if (length === wanted.length) return [text.length, text.length];
  return [length < MIN_SHOWN_CHARACTERS ? 0 : length, text.length];
}

/** An image counts if it arrives as an image, not as text. */
function shareOf(result: string, answer: Json | undefined): Share {
  const blocks = (answer?.['content'] ?? []) as readonly { type: string; text?: string; data?: string }[];
  const hasImage = /"image_url"|"input_image"|"inlineData"|"type":"image","source"/.test(result);
  const read = plain(result);
  const found = blocks.filter(({ type, text = '', data = '' }) =>
    type === 'image'
      ? hasImage && result.includes(data)
      : read.includes(plain(JSON.stringify(text).slice(1, -1))),
  );
  if (found.length === 0) return 'nothing';
  return found.length === blocks.length ? 'whole' : 'partly';
}

/** @throws Error if the first turn came before the host had the tools: that is not a refusal */
function permissionOf(tool: string, { first, missing, lines, output }: Run): Permission {
  const listedAt = lines.find(({ side, message }) => side === 'server' && message['result']?.tools)?.at;
  if (first === undefined || listedAt === undefined || first.at < listedAt)
    throw new Error(`without rules, its first turn came before the tools: ${output}`);
  if (missing.length > 0) return 'not offered';
  const calls = lines.filter(({ side, message }) => side === 'host' && message['method'] === 'tools/call');
  return calls.some(({ message: { params } }) => params.name === tool) ? 'runs' : 'refused';
}

function formOf(lines: readonly Line[]): string | undefined {
  const form = lines.find(({ message: { method } }) => method === 'elicitation/create');
  if (form !== undefined) {
    const answers = lines.filter(({ side, message }) => side === 'host' && 'result' in message);
    const answer = answers.find(({ message: { id } }) => id === form.message['id']);
    return answer?.message['result']?.action ?? 'no answer';
  }
  const retry = lines.find(({ message: { params } }) => params?.inputResponses !== undefined);
  const [answer] = Object.values<Record<string, string>>(retry?.message['params'].inputResponses ?? {});
  return answer?.['action'];
}
