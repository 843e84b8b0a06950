import { existsSync, readFileSync } from 'node:fs';
import { isObject } from '../../base/values.ts';

/** What a server lists without options: data that the build records from the server. See docs/decisions/0067. */
export interface FirstAnswers {
  /** Flags with which it lists the same, without their dashes. */
  readonly flags: Readonly<Record<string, Accepted>>;
  /** All variables of the server. */
  readonly variables: Readonly<Record<string, Accepted>>;
  /** Patterns of the names of clients to which it answers something else. */
  readonly clients: readonly string[];
  /** Reactions by the state of the connection, first `start`, and by the shape of the message. */
  readonly states: Readonly<Record<string, Readonly<Record<string, Reaction>>>>;
  /** Lines of the server, cut where the id belongs. */
  readonly lines: readonly (readonly string[])[];
}

/** With which values the server starts and lists the same: with any text, or with these; null for a flag without a value. */
type Accepted = 'any' | readonly string[] | null;

interface Reaction {
  readonly next: string;
  /** Index of the line that the server writes. */
  readonly line?: number;
  /** The line is a request of the server, which the client has to answer. */
  readonly asks?: true;
}

/** What a process read and answered before its server was loaded. */
export interface FirstExchanges {
  /** Each line of the client, and the id in what the server writes for it. */
  readonly exchanges: readonly { readonly line: string; readonly id?: unknown }[];
  /** What was read and has no answer. */
  readonly rest: Buffer;
  /** How the ids of the server's own requests begin, if it sent one. */
  readonly questionPrefix: string | undefined;
}

const LINE_FEED = 0x0a;
/** No recorded message is longer. */
const MAX_MESSAGE_BYTES = 16_384;
/** Members whose text is part of a message's shape. */
const LITERAL = /^(?:jsonrpc|method|level|(?:io\.modelcontextprotocol\/)?protocolVersion)$/;

/**
 * Equal for messages that differ only in texts and whole numbers on which no list depends.
 *
 * @param clients texts that match one of these are part of the shape
 */
export function shapeOf(message: object, clients: readonly RegExp[] = []): string {
  return JSON.stringify(message, (key, value: unknown) => {
    if (isObject(value)) return Object.fromEntries(Object.entries(value).toSorted(byName));
    if (typeof value !== 'string') return Number.isSafeInteger(value) ? 0 : value;
    return LITERAL.test(key) || clients.some((name) => name.test(value)) ? value : '';
  });
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/**
 * Answers the first messages of a host over stdio from a file, so that a server that is never called is never loaded.
 *
 * @param file what the build recorded; without it the server is loaded at once
 * @returns when the server must be loaded: what it continues from, or undefined if nothing was read
 */
export async function firstAnswers(file: URL, process: NodeJS.Process): Promise<FirstExchanges | undefined> {
  if (!existsSync(file)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build wrote it
  const answers = JSON.parse(readFileSync(file, 'utf8')) as FirstAnswers;
  if (changesListing(answers, process) || process.stdin.isTTY) return undefined;
  const { stdin, stdout } = process;
  const { promise, resolve } = Promise.withResolvers<FirstExchanges>();
  const client = firstClient(answers, !process.env['CLAUDE_PROJECT_DIR']);
  let rest: Buffer = Buffer.alloc(0);
  const exit = () => process.exit(0);
  const end = () => void stdout.write('', exit);
  const read = (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let feed = rest.indexOf(LINE_FEED); feed !== -1; feed = rest.indexOf(LINE_FEED)) {
      const output = client.answer(rest.toString('utf8', 0, feed));
      if (output === undefined) return load();
      rest = rest.subarray(feed + 1);
      if (output !== '') stdout.write(output);
    }
    if (rest.length > MAX_MESSAGE_BYTES) load();
  };
  const load = () => {
    stdin.off('data', read).off('end', end).off('error', exit).pause();
    process.off('SIGTERM', end).off('SIGINT', end);
    // An error of what was written is an event of the next tick.
    setImmediate(() => {
      stdout.off('error', exit);
      resolve({ ...client.exchanged(), rest });
    });
  };
  stdout.on('error', exit);
  process.on('SIGTERM', end).on('SIGINT', end);
  stdin.on('data', read).on('end', end).on('error', exit);
  return promise;
}

function changesListing({ flags, variables }: FirstAnswers, { argv, env }: NodeJS.Process): boolean {
  const words = argv.slice(2);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const accepted = own(flags, name);
    if (accepted === undefined || (accepted === null && value !== undefined)) return true;
    if (accepted !== null && !accepts(accepted, value ?? words.shift())) return true;
  }
  return Object.entries(variables).some(([name, accepted]) => env[name] && !accepts(accepted, env[name]));
}

function accepts(accepted: Accepted, value = ''): boolean {
  return accepted === 'any' ? /^\s*[^\s-]/.test(value) : (accepted?.includes(value) ?? false);
}

/**
 * Answers a client from data as long as all its messages have recorded shapes.
 *
 * @param mayAsk false if the environment says what the server would ask
 */
function firstClient({ states, lines, clients }: FirstAnswers, mayAsk: boolean) {
  const different = clients.map((name) => new RegExp(name));
  const exchanges: { readonly line: string; readonly id?: unknown }[] = [];
  let state = 'start';
  let questionPrefix: string | undefined;
  let openQuestion: unknown;

  function isNew(id: unknown): boolean {
    const isValid = typeof id === 'string' || Number.isSafeInteger(id);
    return isValid && !exchanges.some((exchange) => exchange.id === id);
  }

  /** @returns what the server would write; undefined if only the server knows */
  function answer(line: string): string | undefined {
    const { id, ...message } = parsed(line);
    if (id !== undefined && id === openQuestion && isResult(message)) {
      openQuestion = undefined;
      exchanges.push({ line });
      return '';
    }
    const reaction = own(own(states, state) ?? {}, shapeOf(message, different));
    if (reaction === undefined) return undefined;
    const asks = reaction.asks === true && mayAsk;
    const isAnswered = reaction.line !== undefined && !reaction.asks;
    if (isAnswered ? !isNew(id) : id !== undefined) return undefined;
    state = reaction.next;
    if (asks) questionPrefix = crypto.randomUUID();
    if (asks) openQuestion = `${questionPrefix}/0`;
    const key = asks ? openQuestion : id;
    exchanges.push(key === undefined ? { line } : { line, id: key });
    return key === undefined ? '' : `${lines[reaction.line ?? 0]?.join(JSON.stringify(key))}\n`;
  }

  return { answer, exchanged: () => ({ exchanges, questionPrefix }) };
}

function isResult({ jsonrpc, result, ...others }: Readonly<Record<string, unknown>>): boolean {
  return jsonrpc === '2.0' && isObject(result) && Object.keys(others).length === 0;
}

/** @returns an empty object, the shape of no message, for anything but an object in JSON */
function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
