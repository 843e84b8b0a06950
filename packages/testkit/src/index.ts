export { firstText, fixedClock } from '@deskside/core/testing';
export { IS_PROOF, randomOf, randomSeeds, SEED } from '@deskside/core/testing/random';
export { recordedContext } from './command-context.ts';
export {
  type Capabilities,
  connectHttp,
  connectInProcess,
  type ConnectOptions,
  connectStdio,
  LEGS,
  type Peer,
} from './connect.ts';
export { describeOptions } from './describe-options.ts';
export { describeServer } from './describe-server.ts';
export { bareNames, type Host, HOSTS, shownBy } from './hosts.ts';
export { freePort, listen } from './loopback.ts';
export { cpuMsOf } from './cpu-time.ts';
export { cleanEnvironment, type Command, isInstalled, type Program, startProgram } from './program.ts';
export { installedProgram, installPackages } from './npm-packages.ts';
export { hasPostgres, type PostgresServer, startPostgres } from './postgres.ts';
export { installedWithoutNativeParts } from './native-parts.ts';
export { isRunning, signalAll } from './signal.ts';
export { temporaryFolder, temporaryHome } from './temporary-folder.ts';
export { chosenRows, choosePart } from './chosen.ts';
export { type FakeX11Server, ROOT, startX11Server, type X11ServerOptions } from './x11-server.ts';
