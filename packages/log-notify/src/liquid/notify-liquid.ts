import {
  type Context,
  type Emitter,
  type Expression,
  Hash,
  Liquid,
  type LiquidOptions,
  LookupType,
  Parser,
  Tag,
  TagToken,
  type Template,
  type TopLevelToken,
  TypeGuards,
  Value,
  type ValueToken,
  assert,
  toPromise,
  toValue,
  toValueSync,
} from 'liquidjs';
import { jsonText } from '../notification/json-line.ts';

/** A notification in a template. Level and context are undefined if the template does not set them. */
export interface TemplateNotification {
  readonly message: string;
  readonly level?: unknown;
  readonly context?: unknown;
}

/** Called for each notification in a template. The returned text becomes part of the output. */
export type NotifyHandler = (notification: TemplateNotification) => string;

/** Sends notifications during rendering and adds nothing to the output. Errors of `notify` are ignored. */
export function deliver(notify: (notification: TemplateNotification) => unknown): NotifyHandler {
  return (notification) => {
    // A failed notification must not stop the rendering.
    (async () => notify(notification))().catch(() => undefined);
    return '';
  };
}

/**
 * For prompts: the output instructs the model to call the tool. Rendering itself sends nothing, because hosts fetch
 * prompts that they never use.
 *
 * @param toolName the tool's name as the client sees it
 */
export function instruct(toolName = 'notify'): NotifyHandler {
  return (notification) => `[Call the tool ${toolName} with ${jsonText(notification)}]`;
}

/** Of every template: length in characters, memory in liquidjs units, rendering time in milliseconds. */
const LIMITS = {
  parseLimit: 1_000_000,
  memoryLimit: 10_000_000,
  renderLimit: 5000,
  ownPropertyOnly: true,
} as const satisfies LiquidOptions;

/**
 * Compiles the body of a webhook, which has no partials and notifies no one.
 *
 * @throws Error if the template is not valid
 */
export function compileTemplate(source: string): (values: Readonly<Record<string, unknown>>) => string {
  const liquid = new Liquid({
    ...LIMITS,
    // Other notifications wait for it.
    renderLimit: 1000,
    strictFilters: true,
    strictVariables: true,
    templates: {},
  });
  const parsed = liquid.parse(source);
  return (values) => String(liquid.renderSync(parsed, values));
}

/**
 * Liquid with `{{ notify "text" }}` and `{% notify "text", level: "warn", context: "safety" %}`. Both work inside
 * conditions, loops and partials. liquidjs alone would silently drop the text of the first form.
 */
export class NotifyLiquid extends Liquid {
  constructor(handler: NotifyHandler, options: LiquidOptions = {}) {
    super({ ...LIMITS, ...options });
    this.registerTag('notify', notifyTag(handler));
    // Without it, liquidjs would print the text and notify no one.
    this.registerFilter('notify', () => {
      throw new Error('notify is not a filter; write {{ notify "text" }}');
    });
  }

  override parse(html: string, filepath?: string): Template[] {
    return new NotifyParser(this).parse(html, filepath);
  }

  override _parsePartialFile(file: string, sync?: boolean, currentFile?: string) {
    return new NotifyParser(this).parseFile(file, sync, LookupType.Partials, currentFile);
  }

  override _parseLayoutFile(file: string, sync?: boolean, currentFile?: string) {
    return new NotifyParser(this).parseFile(file, sync, LookupType.Layouts, currentFile);
  }

  override _parseFile(file: string, sync?: boolean, lookupType?: LookupType, currentFile?: string) {
    return new NotifyParser(this).parseFile(file, sync, lookupType, currentFile);
  }

  override parseFile(file: string, lookupType?: LookupType): Promise<Template[]> {
    return toPromise(new NotifyParser(this).parseFile(file, false, lookupType));
  }

  override parseFileSync(file: string, lookupType?: LookupType): Template[] {
    return toValueSync(new NotifyParser(this).parseFile(file, true, lookupType));
  }
}

/**
 * `notify` in any case, followed by a value. A variable named `notify`, alone, filtered or compared, does not match: then
 * the notification would be dropped without an error.
 */
const NOTIFY_OUTPUT = /^notify(?:\s*["']|\s+(?!(?:contains|and|or|not)\b)[\w(-])/i;

/** Parses `{{ notify "text" }}` as the tag `{% notify "text" %}`. */
class NotifyParser extends Parser {
  readonly #liquid: Liquid;

  constructor(liquid: Liquid) {
    super(liquid);
    this.#liquid = liquid;
  }

  override parseToken(token: TopLevelToken, remainTokens: TopLevelToken[]) {
    if (!TypeGuards.isOutputToken(token) || !NOTIFY_OUTPUT.test(token.content)) {
      return super.parseToken(token, remainTokens);
    }
    const { options } = this.#liquid;
    const asTag = {
      ...options,
      tagDelimiterLeft: options.outputDelimiterLeft,
      tagDelimiterRight: options.outputDelimiterRight,
    };
    return super.parseToken(
      new TagToken(token.input, token.begin, token.end, asTag, token.file),
      remainTokens,
    );
  }
}

type TagConstructor = new (token: TagToken, remainTokens: TopLevelToken[], liquid: Liquid) => Tag;

const ARGUMENT_NAMES = new Set(['level', 'context']);

/** The tag `notify`: a message, optionally with filters, then `level:` and `context:`. */
function notifyTag(handler: NotifyHandler): TagConstructor {
  return class extends Tag {
    readonly #message: Value;
    readonly #settings: Hash;

    constructor(token: TagToken, remainTokens: TopLevelToken[], liquid: Liquid) {
      super(token, remainTokens, liquid);
      const message = this.tokenizer.readFilteredValue();
      assert(isOneValue(message.initial), 'notify takes exactly one message');
      this.#message = new Value(message, liquid);
      this.#settings = new Hash(this.tokenizer);
      Object.assign(this.#settings.hash, namedArguments(this.#message));
      const unknown = Object.keys(this.#settings.hash).find((name) => !ARGUMENT_NAMES.has(name));
      assert(unknown === undefined, `notify has no argument ${unknown}; valid arguments: level, context`);
      const empty = Object.keys(this.#settings.hash).find((name) => this.#settings.hash[name] === undefined);
      assert(empty === undefined, `notify needs a value after ${empty}:`);
      this.tokenizer.skipBlank();
      assert(this.tokenizer.end(), `notify cannot parse ${this.tokenizer.snapshot()}`);
    }

    override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const message = textOf(yield toValue(yield this.#message.value(ctx, false)));
      const settings: unknown = yield this.#settings.render(ctx);
      if (message.trim() !== '') emitter.write(handler({ message, ...named(settings) }));
    }
  };
}

/** liquidjs accepts `"a" "b"` as an expression and drops the second value. */
function isOneValue({ postfix }: Expression): boolean {
  const left = postfix.reduce((operands, token) => {
    if (!TypeGuards.isOperatorToken(token)) return operands + 1;
    return token.operator === 'not' ? operands : operands - 1;
  }, 0);
  return left === 1;
}

/** In `"text" | append: "!", level: "warn"` liquidjs passes the level to the filter. Moves it to the tag. */
function namedArguments({ filters }: Value): Record<string, ValueToken> {
  const last = filters.at(-1);
  if (last === undefined) return {};
  const found: Record<string, ValueToken> = {};
  last.args = last.args.filter((argument) => {
    const [name, value] = Array.isArray(argument) ? argument : [];
    if (name === undefined || !ARGUMENT_NAMES.has(name)) return true;
    if (value !== undefined) found[name] = value;
    return false;
  });
  return found;
}

function named(settings: unknown): Omit<TemplateNotification, 'message'> {
  if (typeof settings !== 'object' || settings === null) return {};
  const values = Object.entries(settings).map(([name, value]) => [name, toValue(value)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
