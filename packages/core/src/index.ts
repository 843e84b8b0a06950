export { DEFAULT_USER } from './base/values.ts';
export type { KnownClient } from './clients/known-client.ts';
export type { Offer } from './definition/catalog.ts';
export { type Change, type ChangeFeed, changeFeed, type OwnChangeFeed } from './definition/changes.ts';
export {
  acceptedContent,
  type Awaitable,
  type Caller,
  type Claims,
  type Completer,
  type Era,
  type InputExchange,
  inputRequired,
  inputResponse,
  type Principal,
  type RequestContext,
  type View,
} from './definition/context.ts';
export { promptDefiner, type Prompt, type PromptSpec } from './definition/prompt.ts';
export {
  type Resource,
  type ResourceBody,
  type ResourceContent,
  type ResourceListing,
  type ResourceTemplate,
  templateDefiner,
} from './definition/resource.ts';
export type { UriVariables } from './definition/uri-template.ts';
export { type Content, reply, type Reply, type ReplyExtras, textBlock } from './definition/results.ts';
export {
  type Caching,
  type Capabilities,
  defineServer,
  type ServerDefinition,
  type ServerSpec,
} from './definition/server.ts';
export {
  type Tool,
  type ToolAnnotations,
  toolDefiner,
  toolFromSpec,
  type CheckedToolSpec,
  type ToolOutput,
  type ToolSpec,
} from './definition/tool.ts';
export { createLog, type Log, type LogFields, type LogLevel, silentLog } from './log/log.ts';
export { httpHandler, type HttpHandler, type HttpHandlerOptions } from './serving/http/handler.ts';
export type { AccessOptions } from './serving/http/guards.ts';
export {
  fastifyHandler,
  honoHandler,
  nodeHandler,
  type NodeRequest,
  type PrincipalOf,
} from './serving/http/adapters.ts';
export type { Auth, Authenticate, RemoteAuth, TokenAuth, VerifiedToken } from './serving/http/auth.ts';
export type { GivenRequest } from './serving/http/route.ts';
export type { HttpServeOptions } from './serving/http/serve-http.ts';
export type { Limits } from './serving/limits.ts';
export type { Serving } from './serving/protocol/connection.ts';
export { serve, type ServeOptions } from './serving/serve.ts';
export type { StdioStreams } from './serving/stdio/serve-stdio.ts';
export {
  capped,
  type Capped,
  clampTo,
  diagnostics,
  type Diagnostics,
  diagnosticsOf,
  truncation,
  type Truncation,
} from './validation/answer-fields.ts';
export {
  type CodedFailure,
  type DiagnosticNote,
  type ErrorCode,
  type FixedFailure,
  identityName,
  StartError,
  type Text,
  type ToolName,
  UserError,
} from './errors/index.ts';
