import { z } from 'zod';
import {
  ACTION_TYPES,
  DEFAULT_DURATION,
  DEFAULT_POSITION,
  LIMITS,
  POSITIONS,
  SEVERITIES,
} from '../notification/notification.ts';

/** What is advertised. What comes in is judged by the notification's own rules, whose errors are the contract's. */
const advertised = (meta: Record<string, unknown>) => z.unknown().optional().meta(meta);

const severityGuide = `info: general updates and FYI messages ("Sync completed"). success: successful operations ("Deployment successful"). warning: non-critical issues requiring attention ("API rate limit approaching"). error: failures and critical problems ("Build failed").`;
const durationGuide = `Milliseconds until it goes by itself. 0: persistent, requires manual dismiss, for critical alerts. 3000: quick confirmation. 5000: standard. 10000: important warning. 15000+: very important information, rare.`;
const positionGuide = `top-right: most common, doesn't block content. top-center: prominent, good for important announcements. bottom-right: less intrusive, good for background updates.`;

const actionFields = {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'Button text', minLength: 1, maxLength: LIMITS.label },
    action: {
      type: 'string',
      description:
        'prompt: sends the prompt to the chat when clicked. dismiss: closes the notification immediately',
      enum: ACTION_TYPES,
    },
    prompt: {
      type: 'string',
      description: 'What is sent to the chat; required when action is "prompt"',
      minLength: 1,
      maxLength: LIMITS.prompt,
    },
  },
  required: ['label', 'action'],
};

export const notificationFields = z
  .object({
    message: advertised({
      type: 'string',
      description: 'Notification text; under 100 characters when possible',
      minLength: 1,
      maxLength: LIMITS.message,
    }),
    severity: advertised({ type: 'string', description: severityGuide, enum: SEVERITIES }),
    title: advertised({
      type: 'string',
      description: 'Heading: draws attention, the message provides details',
      maxLength: LIMITS.title,
    }),
    duration: advertised({
      type: 'number',
      description: durationGuide,
      minimum: 0,
      maximum: LIMITS.duration,
      default: DEFAULT_DURATION,
    }),
    actions: advertised({
      type: 'array',
      description: 'Action buttons',
      maxItems: LIMITS.actions,
      items: actionFields,
    }),
    position: advertised({
      type: 'string',
      description: positionGuide,
      enum: POSITIONS,
      default: DEFAULT_POSITION,
    }),
  })
  .meta({ required: ['message', 'severity'] });

const shownAction = z.object({
  label: z.string(),
  action: z.enum(ACTION_TYPES),
  prompt: z.string().optional(),
});

export const shownNotification = z.object({
  id: z.uuid(),
  message: z.string(),
  severity: z.enum(SEVERITIES),
  title: z.string().optional(),
  duration: z.number(),
  actions: z.array(shownAction).optional(),
  position: z.enum(POSITIONS),
  timestamp: z.iso.datetime(),
});
