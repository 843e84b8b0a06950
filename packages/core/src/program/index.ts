/** The command line of a server: options, help, commands, exit codes, the machine's token and folders. */
export { defineDoctor, type DoctorSpec } from './doctor.ts';
export {
  choiceField,
  combineOptions,
  commonOptions,
  defineOptions,
  integerField,
  listenFields,
  listField,
  logFields,
  type Options,
  type OptionsOf,
  pickOptions,
  portField,
  type Setting,
  withDefaults,
} from './options.ts';
export { type Folders, folders, homeFolder } from './folders.ts';
export { defaultOf, flagForm } from './help.ts';
export {
  type Command,
  type CommandContext,
  type CommandEntry,
  type CommandSpec,
  defineCommand,
  type DoctorFact,
  type DoctorReport,
  type Program,
  runProgram,
} from './program.ts';
export { type Flags, type OptionSources, readOptions } from './read-options.ts';
export {
  clientConfiguration,
  listenOptions,
  type ListenSettings,
  runServer,
  type ServerProgram,
} from './server-program.ts';
export { type ThisProcess, thisProcess } from '../serving/process/this-process.ts';
export { type Closable, ownProcess, type ProcessOptions } from '../serving/process/signals.ts';
export { tokenAuthentication, type TokenOwner, type TokenSource } from './token-authentication.ts';
export { loadOrCreateToken, serverSecret } from './token-file.ts';
