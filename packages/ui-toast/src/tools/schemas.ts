import * as z from 'zod';
import { codePointLength, isBlank } from '@deskside/core/text';
import {
  ACTION_TYPES,
  DEFAULT_DURATION_MS,
  DEFAULT_POSITION,
  MAX_ACTIONS,
  MAX_DURATION_MS,
  MAX_LABEL_CODE_POINTS,
  MAX_MESSAGE_CODE_POINTS,
  MAX_PROMPT_CODE_POINTS,
  MAX_TITLE_CODE_POINTS,
  POSITIONS,
  SEVERITIES,
} from '@deskside/toaster/notification';

// The messages are the contract's texts. What is listed is in `meta`, in the order of its listing.

type Message = z.core.$ZodErrorMap;

const severityGuide = `info: general updates and FYI messages ("Sync completed"). success: successful operations ("Deployment successful"). warning: non-critical issues requiring attention ("API rate limit approaching"). error: failures and critical problems ("Build failed").`;
const durationGuide = `Milliseconds until auto-dismiss. 0: persistent, requires manual dismiss, for critical alerts. 3000: quick confirmation. 5000: standard. 10000: important warning. 15000+: very important information, rare.`;
const positionGuide = `top-right: most common, doesn't block content. top-center: prominent, good for important announcements. bottom-right: less intrusive, good for background updates.`;

/** Null is the same as not given. */
function nullAs<Schema extends z.ZodType>(value: unknown, schema: Schema) {
  return z.preprocess((given) => given ?? value, schema);
}

/** @param invalid makes the message for a value that is present but invalid */
function required(name: string, invalid: (given: unknown) => string): Message {
  return ({ input }) => (input === undefined ? `Missing required parameter: ${name}` : invalid(input));
}

/** The trimmed text; '' if it shows nothing. */
function text(name: string, maxCodePoints: number, error: Message | string) {
  return z
    .string({ error })
    .transform((given) => (isBlank(given) ? '' : given.trim().toWellFormed()))
    .refine((given) => codePointLength(given) <= maxCodePoints, {
      error: `${name} too long (max ${maxCodePoints} characters)`,
      abort: true,
    });
}

/** A text that is required and shows something. */
function visibleText(argument: string, name: string, maxCodePoints: number) {
  const error = required(argument, () => `${name} must be a string`);
  return nullAs(
    undefined,
    text(name, maxCodePoints, error).refine((given) => given !== '', `${name} cannot be empty`),
  );
}

function invalidChoice(name: string, choices: readonly string[]): (given: unknown) => string {
  return (given) => `Invalid ${name}: ${quoted(given)}. Must be one of: ${choices.join(', ')}`;
}

const MAX_QUOTED_LENGTH = 80;

/** The invalid value, short enough for an error. Objects are not written out: their depth has no limit. */
function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const written = typeof value === 'string' ? `"${value}"` : String(value);
  if (written.length <= MAX_QUOTED_LENGTH) return written;
  // The cut may leave half a surrogate pair.
  return `${written.slice(0, MAX_QUOTED_LENGTH).replace(/\p{Surrogate}$/u, '')}…`;
}

const DURATION = `Duration must be between 0 and ${MAX_DURATION_MS}ms`;
/** Models sometimes write `"5000"`. Other notations that JavaScript reads as a number are errors. */
const DECIMAL = /^\s*\d+(?:\.\d+)?\s*$/;

const duration = z.preprocess(
  (given) =>
    typeof given === 'string' && DECIMAL.test(given) ? Number(given) : (given ?? DEFAULT_DURATION_MS),
  z.number(DURATION).refine((ms) => ms === 0 || (ms >= 1 && ms <= MAX_DURATION_MS), DURATION),
);

function invalidAction(given: unknown): string {
  return `Invalid action type: ${quoted(given)}. Must be 'dismiss' or 'prompt'`;
}

const PROMPT = 'Action type "prompt" requires a prompt string';

const action = z.preprocess(
  // What dismisses has no prompt, whatever is given.
  (given) => (isObject(given) && given['action'] !== 'prompt' ? { ...given, prompt: undefined } : given),
  z
    .object(
      {
        label: visibleText('label', 'Label', MAX_LABEL_CODE_POINTS).meta({
          type: 'string',
          description: 'Button text',
          minLength: 1,
          maxLength: MAX_LABEL_CODE_POINTS,
        }),
        action: nullAs(undefined, z.enum(ACTION_TYPES, { error: required('action', invalidAction) })).meta({
          type: 'string',
          description:
            'prompt: sends the prompt to the chat when clicked. dismiss: closes the notification immediately',
          enum: ACTION_TYPES,
        }),
        prompt: text('Prompt', MAX_PROMPT_CODE_POINTS, PROMPT)
          .refine((given) => given !== '', PROMPT)
          .optional()
          .meta({
            type: 'string',
            description: 'Text to send to the chat; required if action is "prompt"',
            minLength: 1,
            maxLength: MAX_PROMPT_CODE_POINTS,
          }),
      },
      { error: ({ input }) => `Invalid action: ${quoted(input)}. Must be an object` },
    )
    .refine((given) => given.action === 'dismiss' || given.prompt !== undefined, PROMPT)
    .meta({ required: ['label', 'action'] }),
);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const actions = nullAs(
  [],
  // Of too many the first ones are not checked.
  z
    .array(z.unknown(), 'Actions must be an array')
    .max(MAX_ACTIONS, `Maximum ${MAX_ACTIONS} actions allowed`)
    .pipe(z.array(action)),
);

const { $schema: _, ...listedAction } = z.toJSONSchema(action, { io: 'input' });

export const notificationInput = z
  .object({
    message: visibleText('message', 'Message', MAX_MESSAGE_CODE_POINTS).meta({
      type: 'string',
      description: 'Notification text; under 100 characters when possible',
      minLength: 1,
      maxLength: MAX_MESSAGE_CODE_POINTS,
    }),
    severity: nullAs(
      undefined,
      z.enum(SEVERITIES, { error: required('severity', invalidChoice('severity', SEVERITIES)) }),
    ).meta({ type: 'string', description: severityGuide, enum: SEVERITIES }),
    title: nullAs('', text('Title', MAX_TITLE_CODE_POINTS, 'Title must be a string')).meta({
      type: 'string',
      description: 'Heading: draws attention, the message provides details',
      maxLength: MAX_TITLE_CODE_POINTS,
    }),
    duration: duration.meta({
      type: 'number',
      description: durationGuide,
      minimum: 0,
      maximum: MAX_DURATION_MS,
      default: DEFAULT_DURATION_MS,
    }),
    actions: actions.meta({
      type: 'array',
      description: 'Action buttons',
      maxItems: MAX_ACTIONS,
      items: listedAction,
    }),
    position: nullAs(
      DEFAULT_POSITION,
      z.enum(POSITIONS, { error: ({ input }) => invalidChoice('position', POSITIONS)(input) }),
    ).meta({ type: 'string', description: positionGuide, enum: POSITIONS, default: DEFAULT_POSITION }),
    id: nullAs(
      undefined,
      z
        .string('Invalid id')
        .regex(/^[\w-]{1,64}$/, 'Invalid id')
        .optional(),
    ).meta({
      type: 'string',
      description: 'Your name for it, for example "deploy-42". The same id later updates it in place',
      pattern: '^[A-Za-z0-9_-]{1,64}$',
    }),
    loading: nullAs(false, z.boolean('Loading must be true or false')).meta({
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
