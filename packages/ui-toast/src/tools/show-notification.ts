import { type Resource, toolDefiner } from '@deskside/core';
import { UserError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import page from '#dist/page.json' with { type: 'json' };
import type { NotificationContent } from '../notification/notification.ts';
import { BURST_NOTIFICATIONS, NOTIFICATIONS_PER_SECOND } from '../notification/rate-limit.ts';
import { InvalidNotification, readContent } from '../notification/read-notification.ts';
import type { UiToast } from '../ui-toast.ts';
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

Returns at once, without waiting for a click. The prompt of a clicked action arrives as the person's next message. Limit: ${BURST_NOTIFICATIONS} at once, then ${NOTIFICATIONS_PER_SECOND} per second.`;

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

  run(args, { rateLimit, newId, now }, { caller }) {
    // Trust boundary: the model's arguments.
    const content = contentOf(args);
    const waitSeconds = rateLimit.take(caller.key);
    if (waitSeconds > 0) throw tooManyNotifications(waitSeconds);
    const { message, severity, title, duration, actions, position } = content;
    return {
      notification: {
        id: newId(),
        message,
        severity,
        ...(title === undefined ? {} : { title }),
        duration,
        ...(actions === undefined ? {} : { actions: [...actions] }),
        position,
        timestamp: now().toISOString(),
      },
    };
  },
});

function contentOf(args: Readonly<Record<string, unknown>>): NotificationContent {
  try {
    return readContent(args);
  } catch (error) {
    if (!(error instanceof InvalidNotification)) throw error;
    throw new UserError({
      error: escapeInvisible(error.message),
      code: 'INVALID_ARGUMENT',
      hint: error.hint,
    });
  }
}

function tooManyNotifications(waitSeconds: number): UserError {
  return new UserError({
    error: 'Too many notifications',
    code: 'RATE_LIMITED',
    hint: `Nothing was shown. Wait ${waitSeconds} ${waitSeconds === 1 ? 'second' : 'seconds'}, or put several messages into one notification.`,
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
  read: () => [{ uri: VIEW_URI, mimeType, body: page.toast, meta }],
};
