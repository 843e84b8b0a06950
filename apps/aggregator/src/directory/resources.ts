import {
  type RequestContext,
  type ResourceListing,
  type ServerDefinition,
  StartError,
  type View,
} from '@deskside/core';
import { allResources, matchesUriTemplate } from '@deskside/core/desk';
import type { Mount } from '../mounts/mount.ts';
import type { StartTimer } from '../mounts/timer.ts';
import { askAll, type MountHealth } from './health.ts';

type TemplateListing = Awaited<ReturnType<ServerDefinition['listResourceTemplates']>>[number];

/** A resource or template in the list of all mounts. */
interface Owned<Listing> {
  readonly mount: Mount;
  readonly listing: Listing;
}

/** The resources of all mounts. URIs have no prefix, so an owner is looked up before anything is read. */
export class Resources {
  readonly #all: readonly MountHealth[];
  readonly #startTimer: StartTimer;
  /** The last list of each definition that does not name its URIs. */
  readonly #listed = new WeakMap<Mount, readonly string[]>();

  constructor(all: readonly MountHealth[], startTimer: StartTimer) {
    this.#all = all;
    this.#startTimer = startTimer;
  }

  /**
   * A URI of an earlier mount is left out of the list of a later one, and reported.
   *
   * @param inMount creates the context that a mount sees
   */
  async list(
    ctx: RequestContext,
    inMount: (mount: Mount) => RequestContext,
  ): Promise<readonly Owned<ResourceListing>[]> {
    const lists = await askAll(this.#all, 'resources', this.#startTimer, (mount) =>
      allResources(mount.definition, inMount(mount)),
    );
    for (const [index, { mount }] of this.#all.entries()) {
      const list = lists[index];
      if (list !== undefined)
        this.#listed.set(
          mount,
          list.map(({ uri }) => uri),
        );
    }
    const owners = await this.#fixedOwners(ctx);
    const closed = this.#closedSchemes(await this.#askTemplates(ctx), owners);
    const owned = this.#withoutDuplicates('resource', lists, ({ uri }) => uri, owners);
    return owned.filter(({ mount, listing }) => isOpen(mount, listing.uri, closed));
  }

  async templates(view: View): Promise<readonly Owned<TemplateListing>[]> {
    const lists = await this.#askTemplates(view);
    const closed = this.#closedSchemes(lists, await this.#fixedOwners(view));
    const owned = this.#withoutDuplicates('resource template', lists, ({ uriTemplate }) => uriTemplate);
    return owned.filter(({ mount, listing }) => isOpen(mount, listing.uriTemplate, closed));
  }

  /** @throws StartError that names two mounts with the same URI */
  async check(view: View): Promise<void> {
    const [uris, templates] = [await this.#fixedUris(view), await this.#askTemplates(view)];
    const templateUris = templates.map((list) => list?.map(({ uriTemplate }) => uriTemplate));
    for (const [kind, lists] of [['resource', uris] as const, ['resource template', templateUris] as const]) {
      const { problems } = this.#combine(kind, lists, (uri) => uri);
      for (const [mount, problem] of problems) if (mount.isForeign !== true) throw new StartError(problem);
    }
  }

  /**
   * The mount that lists a URI, or the first with a template for it. A foreign template needs a scheme: `{+uri}` would match
   * the addresses of all mounts. Its server may support more of RFC 6570 than core: if no template matches, the foreign one
   * with the longest beginning of the URI does.
   */
  async owner(uri: string, ctx: View | RequestContext): Promise<Mount | undefined> {
    let owners = await this.#fixedOwners(ctx);
    if ('signal' in ctx && !owners.has(uri) && this.#all.some(isUnnamed)) {
      await this.list(ctx, () => ctx);
      owners = await this.#fixedOwners(ctx);
    }
    const owner = owners.get(uri);
    if (owner !== undefined) {
      const closed = this.#closedSchemes(await this.#askTemplates(ctx), owners);
      return isOpen(owner, uri, closed) ? owner : undefined;
    }
    const scheme = schemeOf(uri);
    const templates = await this.templates(ctx);
    const found = templates.find(
      ({ mount, listing }) =>
        matchesUriTemplate(listing.uriTemplate, uri) &&
        (mount.isForeign !== true || schemeOf(listing.uriTemplate) === scheme),
    );
    if (found !== undefined) return found.mount;
    const [longest] = templates
      .filter(({ mount }) => mount.isForeign === true)
      .map(({ mount, listing }) => ({
        mount,
        beginning: /^[^{]*:[^{]*(?=\{)/.exec(listing.uriTemplate)?.[0],
      }))
      .filter(({ beginning }) => beginning !== undefined && uri.startsWith(beginning))
      .toSorted((a, b) => (b.beginning?.length ?? 0) - (a.beginning?.length ?? 0));
    return longest?.mount;
  }

  /** The mount that lists a template. */
  async templateOwner(uriTemplate: string, view: View): Promise<Mount | undefined> {
    const templates = await this.templates(view);
    return templates.find(({ listing }) => listing.uriTemplate === uriTemplate)?.mount;
  }

  /** Of own mounts: a foreign one could otherwise answer for an address that only a template of theirs covers. */
  #closedSchemes(
    templates: readonly (readonly TemplateListing[] | undefined)[],
    owners: ReadonlyMap<string, Mount>,
  ): ReadonlySet<string> {
    const ofTemplates = this.#all.flatMap(({ mount }, index) =>
      mount.isForeign !== true
        ? (templates[index] ?? []).map(({ uriTemplate }) => schemeOf(uriTemplate))
        : [],
    );
    const ofUris = [...owners].flatMap(([uri, mount]) => (mount.isForeign === true ? [] : [schemeOf(uri)]));
    return new Set([...ofTemplates, ...ofUris].filter((scheme) => !SHARED_SCHEMES.has(scheme)));
  }

  #askTemplates(view: View): Promise<readonly (readonly TemplateListing[] | undefined)[]> {
    return askAll(this.#all, 'resource templates', this.#startTimer, (mount) =>
      mount.definition.listResourceTemplates(view),
    );
  }

  #fixedUris(view: View): Promise<readonly (readonly string[] | undefined)[]> {
    return askAll(
      this.#all,
      'resource URIs',
      this.#startTimer,
      (mount) => mount.definition.resourceUris?.(view) ?? this.#listed.get(mount) ?? [],
    );
  }

  async #fixedOwners(view: View): Promise<ReadonlyMap<string, Mount>> {
    const { owned } = this.#combine('resource', await this.#fixedUris(view), (uri) => uri);
    return new Map(owned.map(({ mount, listing }) => [listing, mount]));
  }

  #withoutDuplicates<Listing>(
    kind: string,
    lists: readonly (readonly Listing[] | undefined)[],
    uriOf: (listing: Listing) => string,
    owners?: ReadonlyMap<string, Mount>,
  ): readonly Owned<Listing>[] {
    const { owned, problems } = this.#combine(kind, lists, uriOf, owners);
    for (const health of this.#all) health.report(`duplicate ${kind}`, problems.get(health.mount));
    return owned;
  }

  #combine<Listing>(
    kind: string,
    lists: readonly (readonly Listing[] | undefined)[],
    uriOf: (listing: Listing) => string,
    known: ReadonlyMap<string, Mount> = new Map(),
  ): { readonly owned: readonly Owned<Listing>[]; readonly problems: ReadonlyMap<Mount, string> } {
    const owners = new Map(known);
    const owned: Owned<Listing>[] = [];
    const problems = new Map<Mount, string>();
    for (const [index, { mount }] of this.#all.entries()) {
      for (const listing of lists[index] ?? []) {
        const uri = uriOf(listing);
        const other = owners.get(uri);
        if (other !== undefined && other !== mount) {
          problems.set(
            mount,
            `Mounts "${other.id}" and "${mount.id}" both have a ${kind} "${uri}". Mount only one of them, or give it other URIs.`,
          );
        } else {
          owners.set(uri, mount);
          owned.push({ mount, listing });
        }
      }
    }
    return { owned, problems };
  }
}

/** They belong to no server. */
const SHARED_SCHEMES: ReadonlySet<string> = new Set(['data', 'file', 'http', 'https']);

function isOpen({ isForeign }: Mount, uri: string, closed: ReadonlySet<string>): boolean {
  return isForeign !== true || !closed.has(schemeOf(uri));
}

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':')).toLowerCase();
}

/** A mount that says only in its lists which resources it has. */
function isUnnamed({ mount: { definition } }: MountHealth): boolean {
  return definition.resourceUris === undefined && definition.capabilities.resources;
}
