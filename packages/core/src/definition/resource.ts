import type {
  InputRequiredResult,
  ReadResourceResult,
  Resource as ResourceListing,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { type Awaitable, type Completer, isInputRequired, type RequestContext } from './context.ts';
import type { UriVariables } from './uri-template.ts';

export type { ResourceListing };

/** A text, bytes, or several contents with a URI each. */
export type ResourceBody = string | Uint8Array | readonly ResourceContent[];

export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string;
  readonly body: string | Uint8Array;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A resource with a fixed URI. */
export interface Resource<Deps> extends ResourceListing {
  /** False hides it from the list. It can still be read. */
  readonly listed?: boolean;
  /** @throws UserError for a failure that the caller can act on */
  read(deps: Deps, ctx: RequestContext): Awaitable<ResourceBody | InputRequiredResult>;
}

/**
 * Resources whose URI has variables, such as `todo://tasks/{id}`. Of RFC 6570, `{a}`, `{+a}`, `{a*}`, `{/a,b}` and, at the
 * end, `{?a,b}` and `{&a}` are supported.
 *
 * @typeParam Template the URI template, which types its variables
 */
export interface ResourceTemplate<Deps, Template extends string = string> extends ResourceTemplateType {
  readonly uriTemplate: Template;
  readonly complete?: { readonly [Name in keyof UriVariables<Template>]?: Completer<Deps> };
  /** Lists the resources of this template that are worth listing. */
  list?(deps: Deps, ctx: RequestContext): Awaitable<readonly ResourceListing[]>;
  /**
   * @param variables decoded; those of a query may be missing
   * @returns undefined if no resource has that URI
   * @throws UserError for a failure that the caller can act on
   */
  read(
    variables: UriVariables<Template>,
    deps: Deps,
    ctx: RequestContext,
    uri: string,
  ): Awaitable<ResourceBody | InputRequiredResult | undefined>;
}

/** Returns the function that defines resource templates with these dependencies and types their variables. */
export function templateDefiner<Deps>() {
  return <const Template extends string>(spec: ResourceTemplate<Deps, Template>): ResourceTemplate<Deps> =>
    spec;
}

export function resourceResult(
  uri: string,
  { mimeType }: { readonly mimeType?: string | undefined },
  body: ResourceBody | InputRequiredResult,
): ReadResourceResult | InputRequiredResult {
  if (isInputRequired(body)) return body;
  const contents =
    typeof body === 'string' || body instanceof Uint8Array
      ? [{ uri, body, ...(mimeType === undefined ? {} : { mimeType }) }]
      : body;
  return { contents: contents.map(wireContent) };
}

function wireContent({ uri, mimeType, body, meta }: ResourceContent): ReadResourceResult['contents'][number] {
  const common = {
    uri,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(meta === undefined ? {} : { _meta: { ...meta } }),
  };
  if (typeof body === 'string') return { ...common, text: body };
  return { ...common, blob: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64') };
}
