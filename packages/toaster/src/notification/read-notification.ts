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
  type Notification,
  type NotificationAction,
  POSITIONS,
  SEVERITIES,
} from './notification.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what a tool returned under `notification`, with the rules of `show_notification`: texts are trimmed, and null and
 * missing fields get their defaults.
 *
 * @returns undefined if it is not a valid notification
 */
export function readNotification(value: unknown): Notification | undefined {
  const { id, timestamp, ...given } = fieldsOf(value);
  const message = readText(given['message'], MAX_MESSAGE_CODE_POINTS);
  const severity = SEVERITIES.find((known) => known === given['severity']);
  const title = readText(given['title'] ?? '', MAX_TITLE_CODE_POINTS);
  const duration = readDuration(given['duration'] ?? DEFAULT_DURATION_MS);
  const actions = readActions(given['actions'] ?? []);
  const position = POSITIONS.find((known) => known === (given['position'] ?? DEFAULT_POSITION));
  const loading = given['loading'] ?? false;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof loading !== 'boolean')
    return undefined;
  if (id === '' || !message || !severity || duration === undefined || !position) return undefined;
  if (title === undefined || actions === undefined) return undefined;
  return {
    id,
    message,
    severity,
    ...(title && { title }),
    duration,
    ...(actions.length > 0 && { actions }),
    position,
    ...(loading && { loading }),
    timestamp,
  };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** @returns the trimmed text, empty if it shows nothing; undefined if it is no text or too long */
function readText(value: unknown, maxCodePoints: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = isBlank(value) ? '' : value.trim();
  return codePointLength(text) > maxCodePoints ? undefined : text;
}

function readDuration(value: unknown): number | undefined {
  const isTime = value === 0 || (typeof value === 'number' && value >= 1 && value <= MAX_DURATION_MS);
  return isTime ? value : undefined;
}

function readActions(value: unknown): readonly NotificationAction[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ACTIONS) return undefined;
  const actions = value.map(readAction).filter((action) => action !== undefined);
  return actions.length === value.length ? actions : undefined;
}

function readAction(value: unknown): NotificationAction | undefined {
  const given = fieldsOf(value);
  const label = readText(given['label'], MAX_LABEL_CODE_POINTS);
  const action = ACTION_TYPES.find((type) => type === given['action']);
  if (!label || !action) return undefined;
  if (action === 'dismiss') return { label, action };
  const prompt = readText(given['prompt'], MAX_PROMPT_CODE_POINTS);
  return prompt ? { label, action, prompt } : undefined;
}
