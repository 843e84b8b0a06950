import {
  assert,
  type Context,
  type Emitter,
  type Expression,
  Hash,
  type Liquid,
  Tag,
  type TagToken,
  type TopLevelToken,
  toValue,
  TypeGuards,
  Value,
  type ValueToken,
} from 'liquidjs';
import type { Speak, SpokenInTemplate } from './modes.ts';

type TagConstructor = new (token: TagToken, remainTokens: TopLevelToken[], liquid: Liquid) => Tag;

/** What a notification can be told beside its message. */
const NAMES = new Set(['level', 'context']);

/** The tag `notify`: a message with filters if need be, then `level:` and `context:`. */
export function notifyTag(speak: Speak): TagConstructor {
  return class extends Tag {
    readonly #message: Value;
    readonly #settings: Hash;

    constructor(token: TagToken, remainTokens: TopLevelToken[], liquid: Liquid) {
      super(token, remainTokens, liquid);
      const message = this.tokenizer.readFilteredValue();
      assert(isOneValue(message.initial), 'notify takes one message');
      this.#message = new Value(message, liquid);
      this.#settings = new Hash(this.tokenizer);
      Object.assign(this.#settings.hash, namedArguments(this.#message));
      const unknown = Object.keys(this.#settings.hash).find((name) => !NAMES.has(name));
      assert(unknown === undefined, `notify knows level and context, not ${unknown}`);
      const empty = Object.keys(this.#settings.hash).find((name) => this.#settings.hash[name] === undefined);
      assert(empty === undefined, `notify needs a value behind ${empty}:`);
      this.tokenizer.skipBlank();
      assert(this.tokenizer.end(), `notify can't read ${this.tokenizer.snapshot()}`);
    }

    override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
      const message = textOf(yield toValue(yield this.#message.value(ctx, false)));
      const settings: unknown = yield this.#settings.render(ctx);
      if (message.trim() !== '') emitter.write(speak({ message, ...named(settings) }));
    }
  };
}

/** liquidjs takes `"a" "b"` for an expression, and drops the second. */
function isOneValue({ postfix }: Expression): boolean {
  const left = postfix.reduce((operands, token) => {
    if (!TypeGuards.isOperatorToken(token)) return operands + 1;
    return token.operator === 'not' ? operands : operands - 1;
  }, 0);
  return left === 1;
}

/** `"text" | append: "!", level: "warn"` gives the level to the filter, which knows none. */
function namedArguments({ filters }: Value): Record<string, ValueToken> {
  const last = filters.at(-1);
  if (last === undefined) return {};
  const found = last.args.flatMap((argument) => {
    if (!Array.isArray(argument)) return [];
    const [name, value] = argument;
    return name !== undefined && value !== undefined && NAMES.has(name) ? [[name, value] as const] : [];
  });
  last.args = last.args.filter(
    (argument) => !Array.isArray(argument) || argument[0] === undefined || !NAMES.has(argument[0]),
  );
  return Object.fromEntries(found);
}

function named(settings: unknown): Omit<SpokenInTemplate, 'message'> {
  if (typeof settings !== 'object' || settings === null) return {};
  const values = Object.entries(settings).map(([name, value]) => [name, toValue(value)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
