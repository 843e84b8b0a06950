/** How a question ended, for the one who asked. */
export type Outcome =
  | { readonly kind: 'submitted'; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'dismissed' }
  | { readonly kind: 'timeout' }
  /** A later question of the same session took its place. */
  | { readonly kind: 'superseded' }
  /** A message that wants no answer is on the screen. */
  | { readonly kind: 'displayed' }
  /** Whoever asked has stopped waiting. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'no-display' }
  | { readonly kind: 'failed'; readonly reason: string };
