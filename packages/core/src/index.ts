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
export { createLog, type Log, type LogFields, type LogLevel, silentLog } from './log.ts';
export { capped, type Capped, clampTo, truncation, type Truncation } from './truncation.ts';
export { diagnostics, type Diagnostics, diagnosticsOf } from './diagnostics.ts';
export type { DiagnosticNote, Text, ToolName } from './errors/index.ts';
