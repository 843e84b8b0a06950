import { silentLog } from '@deskside/core';
import { messageOf, StartError } from '@deskside/core/errors';
import { firstCodePoints } from '@deskside/core/text';
import type { ClientCapabilities, Result } from '@modelcontextprotocol/client';
import type { ServerQuestion } from './connection.ts';
import { type ListProblems, NO_PROBLEMS, type ServerListing } from './listing.ts';
import { DEFAULT_LIMITS } from './external-mount.ts';
import { loginAnswer, quoted, reasonOf } from './reasons.ts';
import type { ExternalSpec } from './spec.ts';
import { type StartOptions, startServer } from './start-server.ts';
import type { OpenTransport } from './transport.ts';
import { systemTimer } from '../mounts/timer.ts';

/** What one start of a server shows. */
export interface Trial {
  readonly listing: ServerListing;
  readonly problems: ListProblems;
  /** What the server asked its client for: `per-client` fits it. */
  readonly asked: readonly ServerQuestion['method'][];
}

const MAX_PRINTED_CODE_POINTS = 300;
/** What a server with one connection per client may ask. */
const CAN_ASK: ClientCapabilities = { roots: {}, elicitation: { form: {} } };

/** What a program says of itself when it cannot start: its first line about an error, else its last one. */
function printedText(lines: readonly string[]): string {
  const line = lines.find((each) => /error|exception|fatal|cannot|not found|missing|usage/i.test(each));
  const shown = (line ?? lines.at(-1) ?? '').trim();
  return shown === '' ? '' : ` It printed: ${firstCodePoints(shown, MAX_PRINTED_CODE_POINTS)}`;
}

/**
 * Starts a server, reads its lists, and ends it.
 *
 * @throws StartError with a sentence that says why it cannot be used
 */
export async function startOnTrial(
  id: string,
  spec: ExternalSpec,
  openTransport: OpenTransport,
): Promise<Trial> {
  const asked = new Set<ServerQuestion['method']>();
  const printed: string[] = [];
  const named = { id, title: spec.title ?? id, redact: spec.redact };
  let problems = NO_PROBLEMS;
  let listing: ServerListing | undefined;
  const options: StartOptions = {
    ...named,
    server: spec.server,
    limits: { ...DEFAULT_LIMITS, ...spec.limits },
    openTransport,
    log: { ...silentLog, info: (_, { stderr } = {}) => void printed.push(String(stderr)) },
    source: {
      current: () => undefined,
      async observed(seen, found = NO_PROBLEMS) {
        problems = found;
        return seen;
      },
    },
    capabilities: spec.isolation === 'per-client' ? CAN_ASK : {},
    startTimer: systemTimer,
    events: {
      onProblem(error) {
        const [, line] = /^not a message: (.+)/s.exec(messageOf(error)) ?? [];
        const why = /^\s*"jsonrpc":/.test(line ?? '') ? ' (error: a message must be one line)' : '';
        if (line !== undefined) printed.push(quoted(line, named.redact) + why);
      },
      async onQuestion({ method }): Promise<Result> {
        asked.add(method);
        return method === 'roots/list' ? { roots: [] } : { action: 'cancel' };
      },
    },
    onListing: (seen) => (listing = seen),
  };
  const connection = await startServer(options, false, new AbortController().signal).catch(
    (error: unknown) => {
      throw new StartError(reasonOf(error, named) + printedText(printed), {
        cause: loginAnswer(error, named) ?? error,
      });
    },
  );
  await connection.close();
  if (listing === undefined) throw new StartError('It does not answer.');
  // Only now: a question may have arrived together with the last list.
  return { listing, problems, asked: [...asked] };
}
