import { defineServer, type ServerDefinition } from '@deskside/core';
import manifest from '../package.json' with { type: 'json' };
import { uiToastTools } from './tools/index.ts';
import { toastView } from './tools/show-notification.ts';
import type { UiToast } from './ui-toast.ts';

export function uiToastServer(toast: UiToast): ServerDefinition {
  return defineServer({
    name: 'deskside-ui-toast',
    title: 'Deskside toast',
    version: manifest.version,
    instructions,
    deps: toast,
    tools: uiToastTools,
    resources: [toastView],
  });
}

/** The contract's best practices and expression patterns. */
const instructions = `Notifications are part of the AI's expression toolkit.

Best practices:
1. **Be concise:** Keep messages under 100 characters when possible
2. **Use titles for emphasis:** Title draws attention, message provides details
3. **Match severity to importance:** \`info\` for FYI messages, \`success\` for positive outcomes, \`warning\` for non-critical issues, \`error\` for failures that need attention
4. **Provide actions when helpful:** Error → "View Logs" action, Warning → "Review Details" action, Info → "Learn More" action
5. **Don't spam:** Avoid multiple notifications in quick succession
6. **Use persistent wisely:** Only duration: 0 for truly critical alerts
7. **Position thoughtfully:** Important announcements → top-center, Standard notifications → top-right, Background updates → bottom-right
8. **Narrate notifications:** Tell user before showing: "I'm sending you a notification about the build failure...", "Watch for the alert - your budget threshold was exceeded..."

Patterns:
- Progressive alert: "Deploying now... I'll notify you when it completes.", deploy, then a success notification "Workflow deployed!"
- Error with guidance: "Uh oh, 3 tests failed. I'm showing you an alert with options.", then an error notification with a "View Logs" action
- Proactive warning: "Wait - I notice your spending is getting high.", then a warning notification "Budget threshold exceeded", then "Click 'View Spending' in the notification to see details."`;
