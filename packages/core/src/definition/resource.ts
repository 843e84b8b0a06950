import type {
  ReadResourceResult,
  Resource as ResourceListing,
  ResourceTemplateType,
  Variables,
} from '@modelcontextprotocol/server';
import type { Completer } from './completion.ts';
import type { Awaitable, RequestContext } from './context.ts';

export type { ResourceListing, Variables };

/** A text, bytes, or several contents, each with its own address. */
export type ResourceBody = string | Uint8Array | readonly ResourceContent[];

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly body: string | Uint8Array;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A resource with one address. */
export interface Resource<Deps> extends ResourceListing {
  /** False keeps it out of the list; it can still be read. */
  readonly listed?: boolean;
  read(deps: Deps, ctx: RequestContext): Awaitable<ResourceBody>;
}

/** Resources whose address has variables, as in `todo://tasks/{id}`. */
export interface ResourceTemplate<Deps> extends ResourceTemplateType {
  readonly complete?: Readonly<Record<string, Completer<Deps>>>;
  /** The resources behind it that are worth listing. */
  list?(deps: Deps, ctx: RequestContext): Awaitable<readonly ResourceListing[]>;
  /** @returns undefined where nothing has that address. */
  read(
    variables: Variables,
    deps: Deps,
    ctx: RequestContext,
    uri: string,
  ): Awaitable<ResourceBody | undefined>;
}

export function resourceResult(
  uri: string,
  mimeType: string | undefined,
  body: ResourceBody,
): ReadResourceResult {
  const contents =
    typeof body === 'string' || body instanceof Uint8Array
      ? [{ uri, body, ...(mimeType === undefined ? {} : { mimeType }) }]
      : body;
  return { contents: contents.map(wireContent) };
}

function wireContent({ uri, mimeType, body, meta }: ResourceContent): ReadResourceResult['contents'][number] {
  const about = {
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
  if (typeof body === 'string') return { ...about, text: body };
  return { ...about, blob: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64') };
}
