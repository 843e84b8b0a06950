import type { RequestContext, ResourceListing, ServerDefinition, View } from '@deskside/core';
import { matchesUriTemplate } from '@deskside/core/internal';
import type { Mount } from '../mounts/mount.ts';
import type { StartTimer } from '../mounts/timer.ts';
import { contextOf } from './contexts.ts';
import { askAll, type MountHealth } from './health.ts';
import type { Mounted } from './names.ts';

type TemplateListing = Awaited<ReturnType<ServerDefinition['listResourceTemplates']>>[number];

/** The answer of each mount, undefined for one that did not answer. */
type Parts<Listing> = readonly (readonly Listing[] | undefined)[];

/** The resources of all mounts. URIs have no prefix, so an owner is looked up before anything is read. */
export class Resources {
  readonly #all: readonly MountHealth[];
  readonly #startTimer: StartTimer;

  constructor(all: readonly MountHealth[], startTimer: StartTimer) {
    this.#all = all;
    this.#startTimer = startTimer;
  }

  /** A URI of an earlier mount is left out of the list of a later one, and reported. */
  async list(ctx: RequestContext): Promise<readonly Mounted<ResourceListing>[]> {
    const lists = await askAll(this.#all, 'resources', this.#startTimer, async (mount) =>
      mount.definition.listResources(contextOf(mount, ctx)),
    );
    const { owners, isOpen } = await this.#known(ctx);
    const owned = this.#withoutDuplicates('resource', lists, ({ uri }) => uri, owners);
    return owned.filter(({ mount, listing }) => isOpen(mount, listing.uri));
  }

  async templates(view: View): Promise<readonly Mounted<TemplateListing>[]> {
    return (await this.#known(view)).templates;
  }

  /**
   * The mount that lists a URI, or the first with a template for it. A foreign template needs a scheme: `{+uri}` would match
   * the addresses of all mounts. Its server may support more of RFC 6570 than core: if no template matches, the foreign one
   * with the longest beginning of the URI does.
   */
  async owner(uri: string, view: View): Promise<Mount | undefined> {
    const { owners, isOpen, templates } = await this.#known(view);
    const owner = owners.get(uri);
    if (owner !== undefined) return isOpen(owner, uri) ? owner : undefined;
    const found = templates.find(
      ({ mount, listing: { uriTemplate } }) =>
        matchesUriTemplate(uriTemplate, uri) &&
        (mount.isForeign !== true || schemeOf(uriTemplate) === schemeOf(uri)),
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

  /** What has an owner now. */
  async #known(view: View) {
    const [uris, lists] = await Promise.all([
      askAll(this.#all, 'resource URIs', this.#startTimer, ({ definition }) => definition.resourceUris(view)),
      askAll(this.#all, 'resource templates', this.#startTimer, ({ definition }) =>
        definition.listResourceTemplates(view),
      ),
    ]);
    const { owned } = this.#combine('resource', uris, (uri) => uri);
    // Of own mounts: a foreign one could otherwise answer for an address that only a template of theirs covers.
    const own = [
      ...owned.map(({ mount, listing }) => ({ mount, uri: listing })),
      ...this.#all.flatMap(({ mount }, index) =>
        (lists[index] ?? []).map(({ uriTemplate: uri }) => ({ mount, uri })),
      ),
    ].filter(({ mount }) => mount.isForeign !== true);
    const closed = new Set(
      own.map(({ uri }) => schemeOf(uri)).filter((scheme) => !SHARED_SCHEMES.has(scheme)),
    );
    const isOpen = ({ isForeign }: Mount, uri: string) => isForeign !== true || !closed.has(schemeOf(uri));
    const templates = this.#withoutDuplicates('resource template', lists, ({ uriTemplate }) => uriTemplate);
    return {
      owners: new Map(owned.map(({ mount, listing }) => [listing, mount])),
      isOpen,
      templates: templates.filter(({ mount, listing }) => isOpen(mount, listing.uriTemplate)),
    };
  }

  #withoutDuplicates<Listing>(
    kind: string,
    lists: Parts<Listing>,
    uriOf: (listing: Listing) => string,
    owners?: ReadonlyMap<string, Mount>,
  ): readonly Mounted<Listing>[] {
    const { owned, problems } = this.#combine(kind, lists, uriOf, owners);
    for (const health of this.#all) health.report(`duplicate ${kind}`, problems.get(health.mount));
    return owned;
  }

  #combine<Listing>(
    kind: string,
    lists: Parts<Listing>,
    uriOf: (listing: Listing) => string,
    known: ReadonlyMap<string, Mount> = new Map(),
  ): { readonly owned: readonly Mounted<Listing>[]; readonly problems: ReadonlyMap<Mount, string> } {
    const owners = new Map(known);
    const owned: Mounted<Listing>[] = [];
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

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':')).toLowerCase();
}
