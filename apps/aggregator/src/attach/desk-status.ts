import * as z from 'zod';

const sessionStatus = z.object({
  session: z.string(),
  /** Given with `--as`. */
  name: z.string().optional(),
  /** As people read it, for example `Claude Code · my-project`; undefined before the first call. */
  label: z.string().optional(),
  pid: z.int(),
  workingDirectory: z.string().optional(),
  /** ISO 8601. */
  since: z.string(),
  openCalls: z.int(),
});

/** What `deskside status` shows of one attached client. */
export type SessionStatus = z.output<typeof sessionStatus>;

/** What a desk reports about itself. A newer desk may report more. */
export const deskStatus = z.object({
  pid: z.int(),
  version: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Of a desk that also serves HTTP. */
  url: z.string().optional(),
  sessions: z.array(sessionStatus),
  mounts: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      state: z.enum(['ready', 'dormant', 'degraded']),
      reason: z.string().optional(),
      tools: z.int(),
    }),
  ),
});
export type DeskStatus = z.output<typeof deskStatus>;
