import * as z from 'zod';

/** Of the sender's package. */
const base = { version: z.string() };
const variables = z.record(z.string(), z.string());

const sessionHello = z.object({
  kind: z.literal('session'),
  ...base,
  /** The same at every desk that the client attaches to. */
  session: z.string().regex(/^[!-~]{1,128}$/),
  pid: z.int(),
  /** Given with `--as`. */
  name: z.string().optional(),
  profile: z.string().optional(),
  workingDirectory: z.string().optional(),
  /** Where the client finds programs. */
  path: z.string().optional(),
  /** Variables of the client's display, desktop session and project. */
  env: variables,
  /** Deskside's own variables. They must be the desk's. */
  settings: variables,
});

/** A client wants to use the desk. The lines behind it are its JSON-RPC messages. */
export type SessionHello = z.output<typeof sessionHello>;

const hello = z.discriminatedUnion('kind', [
  sessionHello,
  /** A desk that starts wants to serve the clients of this one. `isExplicit`: a person started it. */
  z.object({ kind: z.literal('replace'), ...base, isExplicit: z.boolean() }),
  /** `open`: a person wants to see the page of the desk, on the display of their login session. */
  z.object({ kind: z.enum(['status', 'stop', 'open']), ...base }),
]);

/** The first line of every connection to a desk, beside the secret. */
export type Hello = z.output<typeof hello>;

/** @returns undefined for a line that no version of this protocol sends */
export function readHello(line: Readonly<Record<string, unknown>>): Hello | undefined {
  return hello.safeParse(line).data;
}
