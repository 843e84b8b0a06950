import type { Piece } from './activity.ts';

/**
 * Gives every second to one piece: where pieces overlap, to the one that started last, as the window a person
 * turned to last is the one in front. Neighbouring parts of one piece come as several.
 *
 * @param pieces sorted by start
 */
export function foreground(pieces: readonly Piece[]): Piece[] {
  const parts: Piece[] = [];
  /** Those that have started, the one in front last. */
  const open: Piece[] = [];
  let now = Number.NEGATIVE_INFINITY;

  function advance(to: number): void {
    for (let front = open.at(-1); front !== undefined && now < to; front = open.at(-1)) {
      const end = Math.min(front.end, to);
      if (end > now) {
        parts.push(now === front.start && end === front.end ? front : { ...front, start: now, end });
        now = end;
      }
      if (front.end <= now) open.pop();
    }
    now = Math.max(now, to);
  }

  for (const piece of pieces) {
    if (piece.end <= piece.start) continue;
    advance(piece.start);
    open.push(piece);
  }
  advance(Number.POSITIVE_INFINITY);
  return parts;
}
