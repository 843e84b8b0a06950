import type { Caller, InputExchange, Principal, RequestContext } from '../definition/context.ts';
import { identityName } from '../errors/index.ts';
import { silentLog } from '../log.ts';

/** What a test states about a request. Everything else has a default. */
export type ContextOptions = Partial<Omit<RequestContext, 'caller' | 'input' | 'progress' | 'message'>> & {
  /** What a test states about the caller. */
  readonly caller?: Partial<Omit<Caller, 'principal'>>;
  /** The client's answers and capabilities. `state` is what an earlier round sealed. */
  readonly input?: Partial<Omit<InputExchange, 'state' | 'seal'>> & { readonly state?: unknown };
};

/** A request context that records what a handler sends. */
export interface TestContext extends RequestContext {
  readonly sent: {
    /** The arguments of each call of `progress`. */
    readonly progress: readonly Parameters<RequestContext['progress']>[];
    /** The arguments of each call of `message`. */
    readonly messages: readonly Parameters<RequestContext['message']>[];
    /** The payloads that the handler sealed. */
    readonly sealed: readonly unknown[];
  };
}

/**
 * Creates a context for `tool.call`, `prompt.run` or `resource.read`: the user `owner` over stdio in the modern era,
 * with a client that can answer forms. Nothing leaves the process.
 */
export function testContext({
  input: { state, ...input } = {},
  caller,
  principal = OWNER,
  ...rest
}: ContextOptions = {}): TestContext {
  const progress: Parameters<RequestContext['progress']>[] = [];
  const messages: Parameters<RequestContext['message']>[] = [];
  const sealed: unknown[] = [];
  return {
    era: 'modern',
    toolName: identityName,
    principal,
    transport: 'stdio',
    caller: testCaller(principal, caller),
    meta: {},
    signal: new AbortController().signal,
    correlationId: 'test',
    log: silentLog,
    ...rest,
    input: {
      capabilities: { elicitation: { form: {} } },
      responses: undefined,
      ...input,
      state: () => state,
      async seal(payload) {
        sealed.push(payload);
        return JSON.stringify(payload);
      },
    },
    waitForPerson: (work) => work(),
    async progress(...args) {
      progress.push(args);
    },
    async message(...args) {
      messages.push(args);
    },
    sent: { progress, messages, sealed },
  };
}

const OWNER: Principal = { user: 'owner' };

function testCaller(principal: Principal, stated: Partial<Caller> = {}): Caller {
  return {
    principal,
    client: { name: 'test', version: '1.0.0' },
    session: 'test',
    key: `${principal.user} test`,
    connection: `${principal.user} test`,
    project: undefined,
    label: () => 'test',
    ...stated,
  };
}
