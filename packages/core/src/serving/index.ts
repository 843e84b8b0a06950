/** Serves a definition over stdio and HTTP in both protocol eras, alone or inside of your own HTTP server. */
export { httpHandler, type HttpHandler, type HttpHandlerOptions } from './http/handler.ts';
export type { AccessOptions } from './http/guards.ts';
export {
  fastifyHandler,
  honoHandler,
  nodeHandler,
  type NodeRequest,
  type PrincipalOf,
} from './http/adapters.ts';
export type { GivenRequest } from './http/route.ts';
export type { Auth, Authenticate, RemoteAuth, TokenAuth, VerifiedToken } from './http/auth.ts';
export type { HttpServeOptions } from './http/serve-http.ts';
export type { Limits } from './limits.ts';
export type { Serving } from './protocol/connection.ts';
export { serve, type ServeOptions } from './serve.ts';
export type { StdioStreams } from './stdio/serve-stdio.ts';
