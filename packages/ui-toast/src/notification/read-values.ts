import { isBlank } from '../text/plain-text.ts';
import { LIMITS } from './notification.ts';

/** Arguments that make no notification. */
export class InvalidNotification extends Error {
  override readonly name = 'InvalidNotification';
  /** One sentence: what to pass instead. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

type TextName = 'message' | 'title' | 'label' | 'prompt';

/** @returns the trimmed text: something to be seen, and at most its limit in code points */
export function requiredText(name: TextName, value: unknown): string {
  if (value === undefined || value === null)
    throw missing(name, `Pass a text of 1 to ${LIMITS[name]} characters.`);
  const text = optionalText(name, value);
  if (text !== '') return text;
  throw new InvalidNotification(
    `${capitalized(name)} cannot be empty`,
    `Pass a text of 1 to ${LIMITS[name]} characters.`,
  );
}

/** @returns the trimmed text, empty where there is nothing to be seen */
export function optionalText(name: TextName, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') {
    throw new InvalidNotification(
      `${capitalized(name)} must be a string`,
      `Pass a text of at most ${LIMITS[name]} characters.`,
    );
  }
  if (isBlank(value)) return '';
  const text = value.trim();
  const length = Array.from(text).length;
  if (length <= LIMITS[name]) return text;
  throw new InvalidNotification(
    `${capitalized(name)} too long (max ${LIMITS[name]} characters)`,
    `It has ${length}; shorten it to ${LIMITS[name]}.`,
  );
}

export function oneOf<const Choices extends readonly string[]>(
  name: string,
  value: unknown,
  choices: Choices,
): Choices[number] {
  const hint = `Pass one of: ${choices.join(', ')}.`;
  if (value === undefined) throw missing(name, hint);
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new InvalidNotification(
    `Invalid ${name}: ${quoted(value)}. Must be one of: ${choices.join(', ')}`,
    hint,
  );
}

/** What was passed, short enough to repeat in an error. Objects are not written out: they may be nested endlessly. */
export function quoted(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = typeof value === 'string' ? `"${value}"` : String(value);
  // A cut may leave half a character behind.
  return text.length > 80 ? `${text.slice(0, 80).replace(/\p{Surrogate}$/u, '')}…` : text;
}

function missing(name: string, hint: string): InvalidNotification {
  return new InvalidNotification(`Missing required parameter: ${name}`, hint);
}

function capitalized(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
