/** Tests of a server: real clients of both protocol eras in this process, a request context, a clock and a folder. */
export {
  connect,
  type ConnectOptions,
  connectTransport,
  firstText,
  type InProcessServer,
  type Peer,
  serveInProcess,
} from './connect.ts';
export { type ContextOptions, testContext, type TestContext } from './test-context.ts';
export { type FixedClock, fixedClock, temporaryFolder, type TemporaryFolder } from './environment.ts';
