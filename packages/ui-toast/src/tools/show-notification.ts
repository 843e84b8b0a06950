import { createHash } from 'node:crypto';
import { type RequestContext, type Resource, toolDefiner } from '@deskside/core';
import { itemOf } from '@deskside/desktop';
import { UserError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import {
  DEFAULT_DURATION_MS,
  MAX_ACTIONS,
  MAX_DURATION_MS,
  MAX_LABEL_CODE_POINTS,
  MAX_MESSAGE_CODE_POINTS,
  MAX_PROMPT_CODE_POINTS,
  MAX_TITLE_CODE_POINTS,
  POSITIONS,
  SEVERITIES,
} from '@deskside/toaster/notification';
import { toastPage } from '@deskside/toaster/view';
import { RATE, type UiToast } from '../ui-toast.ts';
import { notificationInput, notificationOutput } from './schemas.ts';

const VIEW_URI = 'ui://deskside/toast.html';

const description = `Trigger toast/alert notifications in real-time to communicate important updates, confirmations, errors, or actionable alerts. This is a **streaming UI tool** - notifications appear as tool calls stream through.

When to use:
- **Success confirmations:** "Workflow deployed successfully!"
- **Error alerts:** "Build failed - 3 tests failing"
- **Important warnings:** "Budget threshold exceeded - review spending"
- **Informational updates:** "New agent available in registry"
- **Actionable prompts:** "Do you want to see the error logs?" → action button
- **Status changes:** "Database backup completed"
- **Critical alerts:** Persistent notifications (duration: 0) that require user attention

Returns at once, without waiting for a click. The prompt of a clicked action arrives as the person's next message. Limit: ${RATE.burst} at once, then ${RATE.perMinute / 60} per second.`;

export const showNotification = toolDefiner<UiToast>()({
  name: 'show_notification',
  title: 'Show notification',
  description,
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: notificationInput,
  output: notificationOutput,
  meta: {
    ui: { resourceUri: VIEW_URI, visibility: ['model', 'app'] },
    // The key of the MCP Apps drafts; some hosts read only this one.
    'ui/resourceUri': VIEW_URI,
  },

  rejected([issue]) {
    return new UserError({
      error: escapeInvisible(issue?.message ?? ''),
      code: 'INVALID_ARGUMENT',
      hint: HINTS[String(issue?.path[0])] ?? '',
    });
  },

  async run(args, { rateLimit, newId, clock, journal, hasToaster }, ctx) {
    const { caller, input } = ctx;
    const { id, message, severity, title, duration, actions, position, loading } = args;
    const waitMs = rateLimit.take(caller.key);
    if (waitMs > 0) throw tooManyNotifications(Math.ceil(waitMs / 1000));
    const text = title === '' ? message : `${title}: ${message}`;
    journal.begin({ ...itemOf('notification', ctx), content: { text, level: severity } }).end('ok');
    return {
      notification: {
        id: idInScope(caller.key, id ?? newId()),
        message,
        severity,
        ...(title === '' ? {} : { title }),
        duration,
        ...(actions.length === 0 ? {} : { actions }),
        position,
        timestamp: clock.now().toISOString(),
        ...(loading ? { loading } : {}),
      },
      ...(hasToaster || showsToasts(input.capabilities) ? {} : { note: await noteFor(ctx) }),
    };
  },
});

/** A way to reach the person in the aggregator, which may not be offered to this client. */
const OTHER_TOOL = 'log_notify';

async function noteFor({ offers }: RequestContext): Promise<string> {
  const otherWay = (await offers?.(OTHER_TOOL)) === true ? ` or with ${OTHER_TOOL}` : '';
  return `This client may not show toasts. Tell the person in the chat${otherWay}.`;
}

/** Extensions by which a client declares that it shows the result: as an MCP App, or with `<deskside-toaster>`. */
const SHOWING_EXTENSIONS = ['io.modelcontextprotocol/ui', 'io.github.deskside/toaster'];

function showsToasts({ extensions = {} }: RequestContext['input']['capabilities']): boolean {
  return SHOWING_EXTENSIONS.some((name) => name in extensions);
}

/**
 * Makes a UUID of version 8. The same caller gets the same one for the same id, and for that UUID again: its second half
 * says that the first half is this caller's. Another caller never gets it.
 */
function idInScope(callerKey: string, id: string): string {
  const [, ...head] = /^([\da-f]{8})-([\da-f]{4})-8([\da-f]{3})-/.exec(id) ?? [];
  const known = withSecondHalf(callerKey, head.join(''));
  return id === known ? known : withSecondHalf(callerKey, digest(callerKey, id).slice(0, 15));
}

/** @param head 15 hexadecimal digits */
function withSecondHalf(callerKey: string, head: string): string {
  const tail = digest(callerKey, 'second half', head);
  return `${head.slice(0, 8)}-${head.slice(8, 12)}-8${head.slice(12)}-8${tail.slice(0, 3)}-${tail.slice(3, 15)}`;
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** What to pass instead, by argument. */
const HINTS: Readonly<Record<string, string>> = {
  message: `Pass a text of 1 to ${MAX_MESSAGE_CODE_POINTS} characters.`,
  severity: `Pass one of: ${SEVERITIES.join(', ')}.`,
  title: `Pass a text of at most ${MAX_TITLE_CODE_POINTS} characters, or no title.`,
  duration: `Pass milliseconds: 0 stays until dismissed, else 1 to ${MAX_DURATION_MS}; the default is ${DEFAULT_DURATION_MS}.`,
  actions: `Pass at most ${MAX_ACTIONS} of {"label": "…", "action": "prompt", "prompt": "…"} or {"label": "…", "action": "dismiss"}; a label has 1 to ${MAX_LABEL_CODE_POINTS} characters, a prompt 1 to ${MAX_PROMPT_CODE_POINTS}.`,
  position: `Pass one of: ${POSITIONS.join(', ')}.`,
  id: 'Pass 1 to 64 letters, digits, _ and -, or no id.',
  loading: 'Pass true while the work is running.',
};

function tooManyNotifications(waitSeconds: number): UserError {
  return new UserError({
    error: 'Too many notifications',
    code: 'RATE_LIMITED',
    hint: `Nothing was shown. Wait ${waitSeconds} s, or put several messages into one notification.`,
  });
}

const mimeType = 'text/html;profile=mcp-app';
/** Without `csp` and `permissions` the host grants the view no network and no devices. The card has its own border. */
const meta = { ui: { prefersBorder: false } };

/** The view that hosts with MCP Apps show beside the call. */
export const toastView: Resource<UiToast> = {
  uri: VIEW_URI,
  name: 'toast',
  title: 'Notification',
  description: 'Shows one notification in the chat, with its actions',
  mimeType,
  _meta: meta,
  read: () => [{ uri: VIEW_URI, mimeType, body: toastPage, meta }],
};
