import { existsSync, readFileSync } from 'node:fs';
import { changeFeed, type ServerDefinition, type ToolName, type View } from '@deskside/core';
import { kept } from './kept.ts';
import { releaseOf } from './mount.ts';

type Listed<Method extends 'listTools' | 'listPrompts' | 'listResources' | 'listResourceTemplates'> = Awaited<
  ReturnType<ServerDefinition[Method]>
>;

/** What a server says about itself if nothing is set, as data. Names of tools and prompts are marked. */
export interface Listing extends Pick<ServerDefinition, 'identity' | 'capabilities' | 'caching'> {
  /** The variables of the server: if one is set, the server may list something else, or not start. */
  readonly variables: readonly string[];
  readonly changes: boolean;
  /** Whether it watches the resources that clients subscribe to. */
  readonly watches: boolean;
  readonly texts: {
    readonly instructions: string | undefined;
    readonly tools: Listed<'listTools'>;
    readonly prompts: Listed<'listPrompts'>;
    readonly resources: Listed<'listResources'>;
    readonly templates: Listed<'listResourceTemplates'>;
    readonly uris: readonly string[];
  };
}

const FILE = new URL('mounts.json', import.meta.url);
const MARK = '\u0001';
/** As JSON writes a marked name. */
const MARKED = /\\u0001([\w.-]+)\\u0001/g;

/** What the build recorded beside the program; nothing in a program that is not built. */
export function builtListings(): Readonly<Record<string, Listing>> {
  if (!existsSync(FILE)) return {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build wrote it
  return JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Listing>;
}

/** How a recorded listing names a tool or prompt, whose mount adds a prefix. */
export function marked(name: string): string {
  return `${MARK}${name}${MARK}`;
}

/** A server that lists what was recorded, and is loaded for everything else. */
export function preparedDefinition(
  { identity, capabilities, caching, changes: hasChanges, watches, texts }: Listing,
  load: () => Promise<ServerDefinition>,
): ServerDefinition {
  const changes = changeFeed();
  let loading: Promise<ServerDefinition> | undefined;
  let own: ServerDefinition | undefined;
  const loaded = () => (loading ??= loadAndSubscribe());
  async function loadAndSubscribe() {
    const definition = await load();
    own = definition;
    definition.changes?.subscribe((change) => changes.publish(change));
    return definition;
  }
  const watchResource = (uri: string, view: View) =>
    releaseOf(loaded().then((definition) => definition.watchResource?.(uri, view)));
  const textsFor = kept((toolName: ToolName) => withNames(texts, toolName));
  return {
    identity,
    capabilities,
    ...(caching === undefined ? {} : { caching }),
    ...(hasChanges ? { changes } : {}),
    tells: (change, principal) => own?.tells?.(change, principal) !== false,
    instructions: (toolName) => textsFor(toolName).instructions,
    listTools: ({ toolName }) => textsFor(toolName).tools,
    listPrompts: ({ toolName }) => textsFor(toolName).prompts,
    listResources: ({ toolName }) => textsFor(toolName).resources,
    listResourceTemplates: ({ toolName }) => textsFor(toolName).templates,
    resourceUris: ({ toolName }) => textsFor(toolName).uris,
    ...(watches ? { watchResource } : {}),
    toolScopes: async (...args) => (await loaded()).toolScopes?.(...args) ?? [],
    callTool: async (...args) => (await loaded()).callTool(...args),
    getPrompt: async (...args) => (await loaded()).getPrompt(...args),
    readResource: async (...args) => (await loaded()).readResource(...args),
    complete: async (...args) => (await loaded()).complete(...args),
  };
}

function withNames(texts: Listing['texts'], toolName: ToolName): Listing['texts'] {
  const json = JSON.stringify(texts).replaceAll(MARKED, (_, name: string) => toolName(name));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as it was, with other names
  return JSON.parse(json) as Listing['texts'];
}
