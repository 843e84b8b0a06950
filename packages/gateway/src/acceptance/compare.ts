import { canonicalJson } from '@deskside/core/base';
import type { Resource } from '@modelcontextprotocol/client';
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
  /** Whether a part may be used as it is now. Else it waits. */
  const isAccepted = (kind: ChangeKind, name: string, before: unknown, after: unknown): boolean => {
    if (before !== undefined && canonicalJson(before) === canonicalJson(after)) return true;
    waiting.push({ kind, name, ...(before === undefined ? {} : { before }), after });
    return false;
  };
  const items = <T extends Item>(kind: ChangeKind, now: readonly T[], before: readonly T[] = []) => {
    // A server can give thousands of items one name.
    const same = new Set(before.map((item) => canonicalJson(stable(item))));
    const known = new Map(before.toReversed().map((item) => [nameOf(item), item]));
    return now.filter((item) => {
      if (same.has(canonicalJson(stable(item)))) return true;
      const old = known.get(nameOf(item));
      return (old === undefined && isData(kind, item, accepted)) || isAccepted(kind, nameOf(item), old, item);
    });
  };
  const { instructions: said, serverInfo, ...rest } = observed;
  const { name, version } = serverInfo;
  const identity = accepted === undefined ? { name, version } : { ...accepted.serverInfo, version };
  const instructions =
    said === undefined || isAccepted('instructions', '', accepted?.instructions, said)
      ? said
      : accepted?.instructions;
  return {
    usable: {
      ...rest,
      serverInfo:
        accepted !== undefined && isAccepted('server', '', identity, serverInfo) ? serverInfo : identity,
      ...(instructions === undefined ? {} : { instructions }),
      tools: items('tool', observed.tools, accepted?.tools),
      prompts: items('prompt', observed.prompts, accepted?.prompts),
      resources: items('resource', observed.resources, accepted?.resources),
      resourceTemplates: items('resource template', observed.resourceTemplates, accepted?.resourceTemplates),
    },
    waiting,
  };
}

type Item = ServerListing[ListMember][number];

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
