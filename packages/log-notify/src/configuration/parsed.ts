import { z } from 'zod';

/** A field of any type, read by a function that knows what is wrong; undefined is an error. */
export function parsed<T>(error: string, parse: (value: unknown) => T | undefined) {
  return z.unknown().transform((value, ctx): T => {
    const result = parse(value);
    if (result !== undefined) return result;
    ctx.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
}
