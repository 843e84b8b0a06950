import { z } from 'zod';

/** A TCP port as a flag or environment value; 0 takes a free one. */
export function portField(fallback: number) {
  const error = 'use a port from 0 to 65535';
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([digits, z.number()], { error })
    .pipe(z.int({ error }).min(0, { error }).max(65_535, { error }))
    .default(fallback);
}

/** What a client can send as its bearer token: one word, in characters that a header carries. */
export function tokenField() {
  return z
    .string()
    .regex(/^[!-~]{16,}$/, 'use at least 16 letters, digits or signs of ASCII, without blanks');
}

/** A choice whose error names what there is. */
export function choiceField<const Choices extends readonly [string, ...string[]]>(choices: Choices) {
  return z.enum(choices, { error: `use one of ${choices.join(', ')}` });
}

/** Several values in one, separated by commas. */
export function listField() {
  return z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    );
}
