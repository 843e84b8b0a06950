import { ToolError, toolDefiner, visible } from '@deskside/core';
import { z } from 'zod';
import type { NotificationContent } from '../notification/notification.ts';
import { type Arguments, readContent } from '../notification/read-content.ts';
import { InvalidNotification } from '../notification/read-values.ts';
import { BURST, PER_SECOND } from '../rate/notification-rate.ts';
import { TOAST_VIEW_URI } from '../resources/toast-view.ts';
import type { UiToast } from '../ui-toast.ts';
import { notificationFields, shownNotification } from './fields.ts';

const description = `Trigger toast/alert notifications in real-time to communicate important updates, confirmations, errors, or actionable alerts. This is a **streaming UI tool** - notifications appear as tool calls stream through.

When to use:
- **Success confirmations:** "Workflow deployed successfully!"
- **Error alerts:** "Build failed - 3 tests failing"
- **Important warnings:** "Budget threshold exceeded - review spending"
- **Informational updates:** "New agent available in registry"
- **Actionable prompts:** "Do you want to see the error logs?" → action button
- **Status changes:** "Database backup completed"
- **Critical alerts:** Persistent notifications (duration: 0) that require user attention

It answers at once and never waits for a click: the prompt of a clicked action comes as the person's next message. After ${BURST} at once, ${PER_SECOND} a second is accepted.`;

export const showNotification = toolDefiner<UiToast>()({
  name: 'show_notification',
  title: 'Show notification',
  description,
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  input: notificationFields,
  output: z.object({ notification: shownNotification }),
  meta: {
    ui: { resourceUri: TOAST_VIEW_URI, visibility: ['model', 'app'] },
    // The key of before the specification was final; some hosts read no other.
    'ui/resourceUri': TOAST_VIEW_URI,
  },

  run(args, { rate, newId, now }, { principal }) {
    const content = contentOf(args);
    const seconds = rate.take(principal.user);
    if (seconds > 0) throw tooMany(seconds);
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

function contentOf(args: Arguments): NotificationContent {
  try {
    return readContent(args);
  } catch (error) {
    if (!(error instanceof InvalidNotification)) throw error;
    throw new ToolError({ error: visible(error.message), code: 'INVALID_ARGUMENT', hint: error.hint });
  }
}

function tooMany(seconds: number): ToolError {
  return new ToolError({
    error: 'Too many notifications',
    code: 'RATE_LIMITED',
    hint: `Nothing was shown. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or put several messages into one notification.`,
  });
}
