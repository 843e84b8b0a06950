import { canonicalJson } from '@deskside/core/base';
import type { Implementation, Resource } from '@modelcontextprotocol/client';
import type { ListMember, ServerListing } from '../external/listing.ts';

/** What is accepted separately: a part of a listing that a client or a model reads. */
export type ChangeKind = 'server' | 'instructions' | 'tool' | 'prompt' | 'resource' | 'resource template';

/** A part of a listing that waits until a person accepts it. */
export interface Change {
  readonly kind: ChangeKind;
  /** Of a tool, prompt or resource: its name or URI; else empty. */
  readonly name: string;
  /** As it was accepted; undefined if it is new. */
  readonly before?: unknown;
  /** As the server lists it now. */
  readonly after: unknown;
}

export interface Comparison {
  /** What was accepted and is still the same, in the server's order. */
  readonly usable: ServerListing;
  readonly waiting: readonly Change[];
}

/**
 * Compares what a server lists with what was accepted. What has vanished is not in the result. Version, protocol version
 * and capabilities are taken from the server: no model reads them. See docs/decisions/0059.
 *
 * @param accepted undefined: nothing of the server was accepted
 */
export function compare(accepted: ServerListing | undefined, observed: ServerListing): Comparison {
  const waiting: Change[] = [];
  const parts: Parts = { waiting, accepted };
  const { instructions: _, ...rest } = observed;
  const instructions = usableInstructions(parts, observed);
  return {
    usable: {
      ...rest,
      serverInfo: usableIdentity(parts, observed.serverInfo),
      ...(instructions === undefined ? {} : { instructions }),
      tools: usableItems(parts, 'tool', observed.tools, accepted?.tools),
      prompts: usableItems(parts, 'prompt', observed.prompts, accepted?.prompts),
      resources: usableItems(parts, 'resource', observed.resources, accepted?.resources),
      resourceTemplates: usableItems(
        parts,
        'resource template',
        observed.resourceTemplates,
        accepted?.resourceTemplates,
      ),
    },
    waiting,
  };
}

interface Parts {
  readonly waiting: Change[];
  readonly accepted: ServerListing | undefined;
}

function usableIdentity({ waiting, accepted }: Parts, serverInfo: Implementation): Implementation {
  const { name, version } = serverInfo;
  if (accepted === undefined) return { name, version };
  const [before, after] = [{ ...accepted.serverInfo, version }, serverInfo];
  if (canonicalJson(before) === canonicalJson(after)) return serverInfo;
  waiting.push({ kind: 'server', name: '', before, after });
  return before;
}

function usableInstructions({ waiting, accepted }: Parts, observed: ServerListing): string | undefined {
  const [before, after] = [accepted?.instructions, observed.instructions];
  if (after === undefined || after === before) return after;
  waiting.push({ kind: 'instructions', name: '', ...(before === undefined ? {} : { before }), after });
  return before;
}

type Item = ServerListing[ListMember][number];

function usableItems<T extends Item>(
  { waiting, accepted }: Parts,
  kind: ChangeKind,
  observed: readonly T[],
  before: readonly T[] = [],
): readonly T[] {
  const known = Map.groupBy(before, nameOf);
  // A server can give thousands of items one name.
  const same = new Set(before.map((item) => `${nameOf(item)}\n${canonicalJson(stable(item))}`));
  return observed.filter((item) => {
    if (same.has(`${nameOf(item)}\n${canonicalJson(stable(item))}`)) return true;
    const [old] = known.get(nameOf(item)) ?? [];
    if (old === undefined && isData(kind, item, accepted)) return true;
    waiting.push({ kind, name: nameOf(item), ...(old === undefined ? {} : { before: old }), after: item });
    return false;
  });
}

/** Resources have URIs; templates of URIs and everything else have unique names. */
function nameOf(item: Item): string {
  return 'uri' in item ? item.uri : item.name;
}

/**
 * A new resource is data, like its content, if the server said at acceptance that its list of resources changes. A view
 * (`ui://`) is a program that runs in the host.
 */
function isData(kind: ChangeKind, item: Item, accepted: ServerListing | undefined): boolean {
  if (kind !== 'resource' || accepted?.capabilities.resources?.listChanged !== true) return false;
  return !/^ui:/i.test(nameOf(item));
}

/** Without what changes with the content of a resource. */
function stable(item: Item): unknown {
  if (!('uri' in item)) return item;
  const { size: _, annotations, ...rest } = item satisfies Resource;
  const { lastModified: __, ...others } = annotations ?? {};
  return { ...rest, annotations: others };
}
