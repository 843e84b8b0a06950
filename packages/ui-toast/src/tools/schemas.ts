import * as z from 'zod';
import {
  ACTION_TYPES,
  DEFAULT_DURATION_MS,
  DEFAULT_POSITION,
  MAX_ACTIONS,
  MAX_CODE_POINTS,
  MAX_DURATION_MS,
  POSITIONS,
  SEVERITIES,
} from '@deskside/toaster/notification';

/** Advertised only: `readContent` validates the value, and its errors have the contract's texts. */
const advertised = (meta: Record<string, unknown>) => z.unknown().optional().meta(meta);

const severityGuide = `info: general updates and FYI messages ("Sync completed"). success: successful operations ("Deployment successful"). warning: non-critical issues requiring attention ("API rate limit approaching"). error: failures and critical problems ("Build failed").`;
const durationGuide = `Milliseconds until auto-dismiss. 0: persistent, requires manual dismiss, for critical alerts. 3000: quick confirmation. 5000: standard. 10000: important warning. 15000+: very important information, rare.`;
const positionGuide = `top-right: most common, doesn't block content. top-center: prominent, good for important announcements. bottom-right: less intrusive, good for background updates.`;

const actionSchema = {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'Button text', minLength: 1, maxLength: MAX_CODE_POINTS.label },
    action: {
      type: 'string',
      description:
        'prompt: sends the prompt to the chat when clicked. dismiss: closes the notification immediately',
      enum: ACTION_TYPES,
    },
    prompt: {
      type: 'string',
      description: 'Text to send to the chat; required if action is "prompt"',
      minLength: 1,
      maxLength: MAX_CODE_POINTS.prompt,
    },
  },
  required: ['label', 'action'],
};

export const notificationInput = z
  .object({
    message: advertised({
      type: 'string',
      description: 'Notification text; under 100 characters when possible',
      minLength: 1,
      maxLength: MAX_CODE_POINTS.message,
    }),
    severity: advertised({ type: 'string', description: severityGuide, enum: SEVERITIES }),
    title: advertised({
      type: 'string',
      description: 'Heading: draws attention, the message provides details',
      maxLength: MAX_CODE_POINTS.title,
    }),
    duration: advertised({
      type: 'number',
      description: durationGuide,
      minimum: 0,
      maximum: MAX_DURATION_MS,
      default: DEFAULT_DURATION_MS,
    }),
    actions: advertised({
      type: 'array',
      description: 'Action buttons',
      maxItems: MAX_ACTIONS,
      items: actionSchema,
    }),
    position: advertised({
      type: 'string',
      description: positionGuide,
      enum: POSITIONS,
      default: DEFAULT_POSITION,
    }),
    id: advertised({
      type: 'string',
      description: 'Your name for it, for example "deploy-42". The same id later updates it in place',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
    }),
    loading: advertised({
      type: 'boolean',
      description: 'Shows a spinner, and stays until you call again with the same id without loading',
      default: false,
    }),
  })
  .meta({ required: ['message', 'severity'] });

export const notificationOutput = z.object({
  notification: z.object({
    id: z.uuid(),
    message: z.string(),
    severity: z.enum(SEVERITIES),
    title: z.string().optional(),
    duration: z.number(),
    actions: z
      .array(z.object({ label: z.string(), action: z.enum(ACTION_TYPES), prompt: z.string().optional() }))
      .optional(),
    position: z.enum(POSITIONS),
    timestamp: z.iso.datetime(),
    loading: z.literal(true).optional(),
  }),
  note: z.string().optional().meta({ description: 'Present if this client may not show toasts' }),
});
