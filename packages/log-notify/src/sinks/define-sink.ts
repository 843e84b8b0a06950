import type { QuietHours, Rate } from '@deskside/desktop';
import * as z from 'zod';
import type { Level, Notification, SeenNotification } from '../notification/notification.ts';
import { addressProblem, policySettings, serviceSettings } from './fields.ts';
import type { Environment, Sink, TerminalStream } from './sink.ts';

/** Which notifications one sink gets, and how often. */
export interface Policy {
  /** Minimum level. */
  readonly level: Level;
  /** Minimum level of what no person sees elsewhere. Undefined: the same. */
  readonly unseenLevel?: Level | undefined;
  /** Empty means all. */
  readonly contexts: readonly string[];
  readonly excludeContexts: readonly string[];
  /** Undefined means no limit. Errors have a second bucket of the same size. */
  readonly rate: Rate | undefined;
  /** How long repeats are merged; 0 disables it. */
  readonly foldMs: number;
  /** How long everything except errors is collected into one summary; 0 disables it. */
  readonly digestMs: number;
  /** Everything except errors waits for their end. */
  readonly quietHours: QuietHours | undefined;
}

/** A sink of the present configuration. */
export interface ConfiguredSink {
  /** As results name it. */
  readonly name: string;
  readonly policy: Policy;
  /** It sends to another machine. */
  readonly isService: boolean;
}

/** Validated settings of one sink, by their names in the file. */
export type Settings = Readonly<Record<string, unknown>>;

/** A request that carries a notification to a service. */
export interface Post {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Default `application/json`. */
  readonly contentType?: string | undefined;
  /** What the answer 204 means, if it is not a delivery. */
  readonly noContent?: string;
  /**
   * Answers that refuse this message alone. Then every other refusal is a fault of the settings, whatever its status.
   * Default: the statuses 400 and 422 refuse the message.
   */
  readonly refusal?: RegExp | undefined;
}

/** @param now when it is sent */
export type PostFor = (notification: Notification, now: Date) => Post;

/** A compiled template. */
export type Template = (values: Settings) => string;

/** What sinks use of the process that they run in. */
export interface Host {
  readonly stderr: TerminalStream;
  readonly env: Environment;
  /** Receives one sentence when a sink works, but not completely. */
  readonly report: (sentence: string) => void;
  /** How long the person wants no interruption by this caller, in milliseconds; without a caller, by any. */
  readonly quietMs?: (caller?: string) => number;
  /** The person has seen these here. */
  readonly seen?: (all: readonly SeenNotification[]) => void;
  /**
   * A sink that sends one request per notification.
   *
   * @param maxCodePoints how much of a message it shows
   */
  readonly service: (postFor: PostFor, maxCodePoints?: number) => Sink;
  /** Compiles a Liquid template. @throws Error if it is not valid */
  readonly template: (source: string) => Template;
}

/** What the environment offers to a sink. */
export interface Finding {
  readonly fact: string;
  readonly problem?: { readonly problem: string; readonly remedy: string };
  /** What a person must do once, for `check`. */
  readonly note?: string | undefined;
}

type Shape = Readonly<Record<string, z.ZodType>>;
type SettingsOf<Own extends Shape> = { readonly [Setting in keyof Own]: z.output<Own[Setting]> };

/** A setting that an environment variable has too, without a flag: no secret is in a list of processes. */
interface VariableText {
  readonly placeholder: string;
  readonly description: string;
  readonly defaultText?: string;
}

/** A sink of this machine. It exists without a configuration, and once. */
interface LocalSink<Own extends Shape> {
  /** What differs from the policy of a sink without limits. */
  readonly policy: Partial<Policy>;
  /** It gets everything at any time: rules and quiet hours are for the others. */
  readonly isLog: boolean;
  /** Tests the environment for `doctor`. Creates and sends nothing. */
  examine(settings: SettingsOf<Own>, host: Pick<Host, 'stderr' | 'env'>): Finding | Promise<Finding>;
}

interface SinkSpec<Kind extends string, Own extends Shape, Variable extends string> {
  /** Key in the file: `[kind]` if it is local, any number of `[[kind]]` if it is a service. */
  readonly kind: Kind;
  /**
   * The settings besides those of every sink. `url`, `path`, `topic`, `key` and `chat` say where the target is. A
   * function, because most starts have no configuration.
   */
  readonly schema: () => Own;
  /** Settings that no one else may read: `describe` does not show them, and the file must be private. */
  readonly secrets: readonly (keyof Own & string)[];
  /** Settings that environment variables have too: `LOG_NOTIFY_NTFY_TOPIC` for `topic` of `ntfy`. */
  readonly variables: Readonly<Record<Variable, VariableText>>;
  /** TOML for `init`, with a comment. */
  readonly example: string;
  /** Undefined for a service, which gets one request per notification. */
  readonly local?: LocalSink<Own>;
  /** Where it sends, for `check`. */
  describe(settings: SettingsOf<Own>): string;
  /** Opens nothing yet: the first delivery opens files, programs and connections. @throws Error for unusable settings */
  open(settings: SettingsOf<Own>, host: Host): Sink;
}

/** `ntfyTopic` for `topic` of `ntfy`. */
type OptionFields<Kind extends string, Own extends Shape, Variable extends string> = {
  readonly [Setting in Variable as `${Kind}${Capitalize<Setting>}`]: z.ZodOptional<
    z.ZodType<z.output<Own[Setting]>>
  >;
};

/** One kind of sink: all that the configuration, the commands and the delivery know about it. */
export interface SinkDefinition<Kind extends string = string, Options extends Shape = Shape> extends Omit<
  SinkSpec<Kind, Shape, string>,
  'schema'
> {
  /** With the settings of every sink or service. */
  readonly schema: z.ZodObject;
  /** `variables` as options of the program. */
  readonly options: Options;
}

/** Defines a kind of sink. */
export function defineSink<
  const Kind extends string,
  Own extends Shape,
  Variable extends keyof Own & string = never,
>(spec: SinkSpec<Kind, Own, Variable>): SinkDefinition<Kind, OptionFields<Kind, Own, Variable>> {
  const { kind, local, secrets, variables } = spec;
  const own: Shape = Object.keys(variables).length === 0 ? {} : spec.schema();
  const options = Object.entries<VariableText>(variables).map(([setting, text]) => {
    // What a sink needs makes it exist, and the description of the tool names the sinks.
    const changesListing = !(own[setting] instanceof z.ZodOptional);
    const meta = { flag: false, isSecret: secrets.includes(setting), changesListing, ...text };
    return [optionName(kind, setting), own[setting]?.superRefine(checkAddress).optional().meta(meta)];
  });
  const createSchema = () => {
    const service = local === undefined ? serviceSettings() : {};
    return z.object({ ...policySettings(), ...service, ...spec.schema() }).superRefine(checkAddresses);
  };
  let schema: z.ZodObject | undefined;
  return {
    ...spec,
    get schema() {
      return (schema ??= createSchema());
    },
    options: Object.fromEntries(options),
  };
}

/** @returns `ntfyTopic` for `topic` of `ntfy` */
export function optionName(kind: string, setting: string): string {
  return `${kind}${setting.charAt(0).toUpperCase()}${setting.slice(1)}`;
}

function checkAddresses({ insecure_http: insecureHttp, ...settings }: Settings, ctx: z.RefinementCtx): void {
  for (const [setting, value] of Object.entries(settings)) {
    const problem = value instanceof URL ? addressProblem(value, insecureHttp === true) : undefined;
    if (problem !== undefined) ctx.addIssue({ code: 'custom', path: [setting], message: problem });
  }
}

/** Of a variable. Only the file has `insecure_http`. */
function checkAddress(value: unknown, ctx: z.RefinementCtx): void {
  const problem = value instanceof URL ? addressProblem(value, undefined) : undefined;
  if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
}
