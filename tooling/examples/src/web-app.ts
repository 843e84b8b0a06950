import {
  type AccessOptions,
  type HttpHandler,
  httpHandler,
  type HttpHandlerOptions,
  type Limits,
  type ServerDefinition,
  type TokenAuth,
} from '@deskside/core';

/** Names and browser pages that may use the endpoint, besides those of this machine. */
const access: AccessOptions = {
  allowHosts: ['desk.example.com'],
  allowOrigins: ['https://app.example.com'],
};
const limits: Partial<Limits> = { callsPerSession: 8, bodyBytes: 1_000_000 };

/** One path of an application that has other pages, too. */
export function webApp(definition: ServerDefinition, auth: TokenAuth) {
  const options: HttpHandlerOptions = { ...access, auth, limits, secret: 'the same after each restart' };
  const mcp: HttpHandler = httpHandler(definition, options);
  return {
    async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url);
      return pathname === '/mcp' ? mcp.fetch(request) : new Response('Hello');
    },
    close: () => mcp.close(),
  };
}
