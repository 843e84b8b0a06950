import { codePointLength, isBlank } from '@deskside/core/text';
import {
  ACTION_TYPES,
  DEFAULT_DURATION_MS,
  DEFAULT_POSITION,
  MAX_ACTIONS,
  MAX_CODE_POINTS,
  MAX_DURATION_MS,
  type Notification,
  type NotificationAction,
  type NotificationContent,
  POSITIONS,
  SEVERITIES,
} from './notification.ts';

/** The arguments are not a valid notification. */
export class InvalidNotification extends Error {
  override readonly name = 'InvalidNotification';
  /** The name of the argument. */
  readonly argument: string;

  constructor(argument: string, message: string) {
    super(message);
    this.argument = argument;
  }
}

/**
 * Checks a notification in the order of the contract and fills in the defaults. Texts are trimmed; null is the same as
 * not given; unknown keys are ignored.
 *
 * @throws InvalidNotification for the first invalid argument
 */
export function readContent(args: Readonly<Record<string, unknown>>): NotificationContent {
  const message = readRequiredText('message', args['message']);
  const severity = readChoice('severity', args['severity'] ?? undefined, SEVERITIES);
  const title = readText('title', args['title']);
  const duration = readDuration(args['duration'] ?? DEFAULT_DURATION_MS);
  const actions = readActions(args['actions'] ?? []);
  const position = readChoice('position', args['position'] ?? DEFAULT_POSITION, POSITIONS);
  const loading = args['loading'] ?? false;
  if (typeof loading !== 'boolean') {
    throw new InvalidNotification('loading', 'Loading must be true or false');
  }
  return {
    message,
    severity,
    ...(title === '' ? {} : { title }),
    duration,
    ...(actions.length === 0 ? {} : { actions }),
    position,
    ...(loading ? { loading } : {}),
  };
}

/** Reads what a tool returned under `notification`. @returns undefined if it is not a valid notification */
export function readNotification(value: unknown): Notification | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, timestamp }: { id?: unknown; timestamp?: unknown } = value;
  if (typeof id !== 'string' || id === '' || typeof timestamp !== 'string') return undefined;
  try {
    return { id, ...readContent({ ...value }), timestamp };
  } catch (error) {
    if (error instanceof InvalidNotification) return undefined;
    throw error;
  }
}

type TextName = keyof typeof MAX_CODE_POINTS;

function readRequiredText(name: TextName, value: unknown): string {
  if (value === undefined || value === null) throw missing(name);
  const text = readText(name, value);
  if (text === '') throw new InvalidNotification(name, `${capitalized(name)} cannot be empty`);
  return text;
}

/** @returns the trimmed text; empty if the value is not given or has no visible character */
function readText(name: TextName, value: unknown): string {
  const limit = MAX_CODE_POINTS[name];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') {
    throw new InvalidNotification(name, `${capitalized(name)} must be a string`);
  }
  if (isBlank(value)) return '';
  const text = value.trim();
  if (codePointLength(text) <= limit) return text;
  throw new InvalidNotification(name, `${capitalized(name)} too long (max ${limit} characters)`);
}

function readChoice<const Choices extends readonly string[]>(
  name: string,
  value: unknown,
  choices: Choices,
): Choices[number] {
  if (value === undefined) throw missing(name);
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new InvalidNotification(
    name,
    `Invalid ${name}: ${quoted(value)}. Must be one of: ${choices.join(', ')}`,
  );
}

/** Models sometimes write `"5000"`. Other notations that JavaScript reads as a number are errors. */
const DECIMAL = /^\s*\d+(?:\.\d+)?\s*$/;

function readDuration(value: unknown): number {
  const duration = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value;
  if (duration === 0) return 0;
  if (typeof duration === 'number' && duration >= 1 && duration <= MAX_DURATION_MS) return duration;
  throw new InvalidNotification('duration', `Duration must be between 0 and ${MAX_DURATION_MS}ms`);
}

function readActions(value: unknown): NotificationAction[] {
  if (!Array.isArray(value)) throw invalidActions('Actions must be an array');
  if (value.length > MAX_ACTIONS) throw invalidActions(`Maximum ${MAX_ACTIONS} actions allowed`);
  return value.map(readAction);
}

function readAction(value: unknown): NotificationAction {
  if (typeof value !== 'object' || value === null) {
    throw invalidActions(`Invalid action: ${quoted(value)}. Must be an object`);
  }
  const given: { label?: unknown; action?: unknown; prompt?: unknown } = value;
  const label = readRequiredText('label', given.label);
  const action = ACTION_TYPES.find((type) => type === given.action);
  if (action === undefined) {
    if (given.action === undefined) throw missing('action');
    throw invalidActions(`Invalid action type: ${quoted(given.action)}. Must be 'dismiss' or 'prompt'`);
  }
  if (action === 'dismiss') return { label, action };
  if (typeof given.prompt !== 'string' || isBlank(given.prompt)) {
    throw invalidActions('Action type "prompt" requires a prompt string');
  }
  return { label, action, prompt: readRequiredText('prompt', given.prompt) };
}

const MAX_QUOTED_LENGTH = 80;

/** The invalid value, short enough for an error. Objects are not written out: their depth has no limit. */
function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = typeof value === 'string' ? `"${value}"` : String(value);
  if (text.length <= MAX_QUOTED_LENGTH) return text;
  // The cut may leave half a surrogate pair.
  return `${text.slice(0, MAX_QUOTED_LENGTH).replace(/\p{Surrogate}$/u, '')}…`;
}

function missing(name: string): InvalidNotification {
  return new InvalidNotification(name, `Missing required parameter: ${name}`);
}

function invalidActions(message: string): InvalidNotification {
  return new InvalidNotification('actions', message);
}

function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
