import { createHash } from 'node:crypto';
import { isObject } from '@deskside/core/base';
import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplateType,
  Tool,
} from '@modelcontextprotocol/client';
import type { ServerListing } from './listing.ts';
import type { ExternalSpec } from './spec.ts';

/** With the prefix of the mount. Hosts add another prefix and reject names of more than 64 characters. */
const MAX_NAME_CHARACTERS = 50;
const HASH_CHARACTERS = 6;
const MAX_TITLE_CODE_POINTS = 200;
const MAX_DESCRIPTION_CODE_POINTS = 10_000;
const MAX_INSTRUCTIONS_CODE_POINTS = 20_000;
/** Of the JSON of one tool, prompt, resource or template. A larger one is left out. */
const MAX_ENTRY_CHARACTERS = 200_000;

/** A tool or prompt under the name that callers use, before the mount's prefix. */
export interface Presented<Entry> {
  readonly name: string;
  /** As callers see it, with that name. */
  readonly shown: Entry;
  /** As the server lists it. */
  readonly original: Entry;
}

/** What callers see of a server: invisible characters escaped, texts limited, names that hosts accept. */
export interface PresentedListing {
  readonly identity: Implementation | undefined;
  readonly instructions: string | undefined;
  readonly tools: ReadonlyMap<string, Presented<Tool>>;
  readonly prompts: ReadonlyMap<string, Presented<Prompt>>;
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

export interface Naming {
  /** The prefix that a mount adds: `<id>_`, or nothing. */
  readonly prefix: string;
  readonly publicName: ExternalSpec['publicName'];
}

export function presented(listing: ServerListing, naming: Naming): PresentedListing {
  const { serverInfo, instructions, tools, prompts, resources, resourceTemplates } = listing;
  return {
    identity: shownTexts(serverInfo),
    instructions: instructions === undefined ? undefined : plain(instructions, MAX_INSTRUCTIONS_CODE_POINTS),
    tools: named('tool', tools.filter(canRunInForeground), naming, shownTool),
    prompts: named('prompt', prompts, naming, shownPrompt),
    resources: resources.filter((entry) => isUsable(entry) && isPlainUri(entry.uri)).map(shownTexts),
    templates: resourceTemplates
      .filter((entry) => isUsable(entry) && isPlainUri(entry.uriTemplate))
      .map(shownTexts),
  };
}

function named<Entry extends { readonly name: string }>(
  kind: 'tool' | 'prompt',
  entries: readonly Entry[],
  { prefix, publicName }: Naming,
  show: (entry: Entry) => Entry,
): ReadonlyMap<string, Presented<Entry>> {
  const all = new Map<string, Presented<Entry>>();
  for (const original of entries) {
    const wanted = publicName(kind, original.name);
    if (wanted === undefined || !isUsable(original)) continue;
    const fitting = fittingName(wanted, prefix);
    const name = all.has(fitting) ? hashedName(wanted, prefix) : fitting;
    if (!all.has(name)) all.set(name, { name, shown: show({ ...original, name }), original });
  }
  return all;
}

/** A name of letters, digits, `_` and `-` that is short enough together with the prefix. */
function fittingName(name: string, prefix: string): string {
  const plainName = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  return prefix.length + plainName.length <= MAX_NAME_CHARACTERS && plainName !== ''
    ? plainName
    : hashedName(name, prefix);
}

function hashedName(name: string, prefix: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARACTERS);
  const room = Math.max(MAX_NAME_CHARACTERS - prefix.length - HASH_CHARACTERS - 1, 0);
  return `${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, room)}_${hash}`;
}

/** Calls are made in the foreground only. */
function canRunInForeground({ execution }: Tool): boolean {
  return execution?.taskSupport !== 'required';
}

function shownTool(tool: Tool): Tool {
  // For the same reason no tool offers tasks.
  const { execution: _, ...shown } = tool;
  const { annotations, inputSchema, outputSchema } = shown;
  return {
    ...shownTexts(shown),
    inputSchema: escapedJson(inputSchema),
    ...(outputSchema === undefined ? {} : { outputSchema: escapedJson(outputSchema) }),
    ...(annotations === undefined ? {} : { annotations: escapedJson(annotations) }),
  };
}

function shownPrompt(prompt: Prompt): Prompt {
  return {
    ...shownTexts(prompt),
    ...(prompt.arguments === undefined ? {} : { arguments: escapedJson(prompt.arguments) }),
  };
}

function shownTexts<
  Entry extends { name: string; title?: string | undefined; description?: string | undefined },
>(entry: Entry): Entry {
  const { name, title, description } = entry;
  return {
    ...entry,
    name: plain(name, MAX_TITLE_CODE_POINTS),
    ...(title === undefined ? {} : { title: plain(title, MAX_TITLE_CODE_POINTS) }),
    ...(description === undefined ? {} : { description: plain(description, MAX_DESCRIPTION_CODE_POINTS) }),
  };
}

function plain(text: string, maxCodePoints: number): string {
  return escapeInvisible(truncateCodePoints(text, maxCodePoints), { multiline: true });
}

/** Escapes all keys and texts of a JSON value. */
function escapedJson<Value>(value: Value): Value {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and the rest stays
  return escapedValue(value) as Value;
}

function escapedValue(value: unknown): unknown {
  if (typeof value === 'string') return escapeInvisible(value, { multiline: true });
  if (Array.isArray(value)) return value.map(escapedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [escapeInvisible(key), escapedValue(member)]),
  );
}

function isUsable(entry: unknown): boolean {
  return JSON.stringify(entry).length <= MAX_ENTRY_CHARACTERS;
}

/** A URI is an address, so it is either shown unchanged or not at all. */
function isPlainUri(uri: string): boolean {
  return escapeInvisible(uri) === uri;
}

/** Views of external servers are not shown on the endpoint of all mounts. Who may call the tool stays. */
export function withoutView(tool: Tool): Tool {
  const { _meta: { ui, ...meta } = {}, ...rest } = tool;
  const others = Object.entries(meta).filter(([key]) => !key.startsWith('ui/'));
  if (isObject(ui) && ui['visibility'] !== undefined) others.push(['ui', { visibility: ui['visibility'] }]);
  return others.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(others) };
}
