/** What the tests use of the authorization server, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  interface Token {
    readonly accountId: string;
    readonly aud: string | readonly string[];
    readonly exp: number;
    readonly scope?: string;
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    readonly AccessToken: { find(token: string): Promise<Token | undefined> };
    readonly Grant: new (fields: { accountId: string; clientId: string }) => {
      addOIDCScope(scope: string): void;
      addResourceScope(resource: string, scope: string): void;
      save(): Promise<string>;
    };
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>;
    on(
      event: 'grant.success',
      listener: (ctx: { readonly oidc: { readonly params?: Readonly<Record<string, unknown>> } }) => void,
    ): this;
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** Of one provider. */
  export function createMemoryAdapter(): unknown;
}
