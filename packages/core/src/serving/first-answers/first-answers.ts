import { existsSync, readFileSync } from 'node:fs';
import { parseObject } from '../../base/json.ts';
import { isObject, isOldNode } from '../../base/values.ts';
import { claimStandardOutput, flushed, standardOutput } from '../process/standard-streams.ts';

/** What a server lists without options: data that the build records from the server. See docs/decisions/0067. */
export interface FirstAnswers {
  /** Pattern of the command lines with which it starts and lists the same, each word behind a NUL. */
  readonly words: string;
  /** All variables of the server, with patterns of the values with which it starts and lists the same. */
  readonly variables: Readonly<Record<string, string>>;
  /** Patterns of the names of clients to which it answers something else. */
  readonly clients: readonly string[];
  /** Reactions by the state of the connection, first `start`, and by the shape of the message. */
  readonly states: Readonly<Record<string, Readonly<Record<string, Reaction>>>>;
  /** Lines of the server, cut where the id belongs. */
  readonly lines: readonly (readonly string[])[];
}

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
    if (isObject(value)) {
      const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(members);
    }
    if (typeof value !== 'string') return Number.isSafeInteger(value) ? 0 : value;
    return LITERAL.test(key) || clients.some((name) => name.test(value)) ? value : '';
  });
}

/**
 * Answers the first messages of a host over stdio from a file, so that a server that is never called is never loaded.
 *
 * @param file what the build recorded; without it the server is loaded at once
 * @returns when the server must be loaded: what it continues from, or undefined if nothing was read
 */
export async function firstAnswers(file: URL, process: NodeJS.Process): Promise<FirstExchanges | undefined> {
  // The server reports it. This Node.js may lack what follows.
  if (isOldNode(process.versions.node) || !existsSync(file)) return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build wrote it
  const answers = JSON.parse(readFileSync(file, 'utf8')) as FirstAnswers;
  if (changesListing(answers, process) || process.stdin.isTTY) return undefined;
  // What a module prints that was loaded before goes to stderr from here on.
  claimStandardOutput(process);
  const { stdin } = process;
  const stdout = standardOutput(process);
  const { promise, resolve } = Promise.withResolvers<FirstExchanges>();
  const client = firstClient(answers, !process.env['CLAUDE_PROJECT_DIR']);
  let rest: Buffer = Buffer.alloc(0);
  const exit = () => process.exit(0);
  const end = () => void flushed(stdout).then(exit);
  const read = (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let feed = rest.indexOf('\n'); feed !== -1; feed = rest.indexOf('\n')) {
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

function changesListing({ words, variables }: FirstAnswers, { argv, env }: NodeJS.Process): boolean {
  const line = argv.slice(2).map((word) => `\0${word}`);
  if (!new RegExp(words).test(line.join(''))) return true;
  return Object.entries(variables).some(([name, values]) => env[name] && !new RegExp(values).test(env[name]));
}

/** Answers a client from data as long as all its messages have recorded shapes, and asks for its folders if it may. */
function firstClient({ states, lines, clients }: FirstAnswers, mayAsk: boolean) {
  const different = clients.map((name) => new RegExp(name));
  const exchanges: { readonly line: string; readonly id?: unknown }[] = [];
  let state = 'start';
  let questionPrefix: string | undefined;

  const isNew = (id: unknown) =>
    (typeof id === 'string' || Number.isSafeInteger(id)) && !exchanges.some((each) => each.id === id);

  /** @returns what the server would write; undefined if only the server knows */
  function answer(line: string): string | undefined {
    const { id, ...message } = parseObject(line) ?? {};
    if (questionPrefix !== undefined && id === `${questionPrefix}/0` && isResult(message)) {
      exchanges.push({ line });
      return '';
    }
    const reaction = states[state]?.[shapeOf(message, different)];
    if (reaction === undefined) return undefined;
    if (reaction.line === undefined || reaction.asks ? id !== undefined : !isNew(id)) return undefined;
    state = reaction.next;
    const asks = reaction.asks === true && mayAsk;
    if (asks) questionPrefix = crypto.randomUUID();
    const key = asks ? `${questionPrefix}/0` : id;
    exchanges.push(key === undefined ? { line } : { line, id: key });
    return key === undefined ? '' : `${lines[reaction.line ?? 0]?.join(JSON.stringify(key))}\n`;
  }

  return { answer, exchanged: () => ({ exchanges, questionPrefix }) };
}

function isResult({ jsonrpc, result, ...others }: Readonly<Record<string, unknown>>): boolean {
  return jsonrpc === '2.0' && isObject(result) && Object.keys(others).length === 0;
}
