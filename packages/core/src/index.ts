export { type DateRange, type RangeRules, readDate, readRangeArguments } from './dates/date-range.ts';
export { endDate, startDate } from './dates/range-fields.ts';
export type { Change, ChangeFeed } from './definition/change-feed.ts';
export { changeFeed } from './definition/change-feed.ts';
export type { Completer } from './definition/completion.ts';
export {
  type Awaitable,
  type Era,
  type InputExchange,
  ownName,
  type Principal,
  type RequestContext,
  type Text,
  type ToolName,
  type View,
} from './definition/context.ts';
export { defineServer, type ServerSpec } from './definition/define-server.ts';
export { acceptedContent, inputRequired, inputResponse } from './definition/input-required.ts';
export { promptDefiner, type Prompt, type PromptSpec } from './definition/prompt.ts';
export type {
  Resource,
  ResourceBody,
  ResourceContent,
  ResourceListing,
  ResourceTemplate,
  Variables,
} from './definition/resource.ts';
export type { Abilities, ServerDefinition } from './definition/server.ts';
export { toolDefiner, type Tool, type ToolHints, type ToolSpec } from './definition/tool.ts';
export { createLog, type Log, LOG_LEVELS, type LogLevel, silentLog } from './log/log.ts';
export { visible } from './log/visible.ts';
export { commonOptions, listenFields, logFields } from './options/common-options.ts';
export { choiceField, listField, portField } from './options/fields.ts';
export { settingsHelp } from './options/help.ts';
export { defineOptions, type Options, type Setting } from './options/options.ts';
export { type Flags, type OptionSources, readFlags, readOptions } from './options/read-options.ts';
export { ERROR_CODES, type ErrorCode } from './results/error-codes.ts';
export type { Content, ResultPolicy } from './results/present.ts';
export { reply, type Reply, textBlock } from './results/reply.ts';
export { ToolError } from './results/tool-error.ts';
export { folders, type Folders } from './run/folders.ts';
export { runProgram, type Invocation, type Program } from './run/run-program.ts';
export { runServer, type ServerProgram } from './run/run-server.ts';
export { serve, type Auth, type HttpServeOptions, type ServeOptions } from './run/serve.ts';
export { StartError } from './run/start-error.ts';
export { keptToken } from './run/token-file.ts';
export { diagnostics, type Diagnostics, type DiagnosticNote, diagnosticsOf } from './schema/diagnostics.ts';
export { jsonSchema } from './schema/json-schema.ts';
export { codePoints } from './schema/text-length.ts';
export {
  capped,
  type Capped,
  cappedToFit,
  clampTo,
  truncation,
  type Truncation,
} from './schema/truncation.ts';
export type { Authenticate } from './serving/principals.ts';
export type { Serving } from './serving/serving.ts';
export type { StdioStreams } from './serving/stdio.ts';
