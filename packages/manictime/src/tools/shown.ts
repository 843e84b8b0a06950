import { visible } from '@deskside/core';

/** Code points of a title or an address in an answer; what is longer is cut, with an ellipsis. */
const LONGEST = 400;

/** Emoji joined by zero-width joiners, which there are part of what shows. */
const JOINED_EMOJI =
  /\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]*(?:\u200D\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]*)+/gu;

/**
 * Text that others wrote (window titles, addresses, names of files and tags), as data for the model: what
 * would act instead of showing is made visible.
 */
export function shown(text: string): string {
  let safe = '';
  let last = 0;
  for (const { 0: emoji, index } of text.matchAll(JOINED_EMOJI)) {
    safe += visible(text.slice(last, index)) + emoji;
    last = index + emoji.length;
  }
  safe += visible(text.slice(last));
  if (safe.length <= LONGEST) return safe;
  const points = Array.from(safe);
  return points.length <= LONGEST ? safe : `${points.slice(0, LONGEST - 1).join('')}…`;
}

export function shownIf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : shown(text);
}
