/**
 * Source of a regular expression (flags `u`) for what acts instead of showing: controls, line and paragraph
 * separators, lone surrogates, interlinear annotations, and what is invisible by default (bidi controls,
 * zero-width characters, tags, fillers). Marks are not among them: variation selectors belong to emoji.
 */
export const ACTING = String.raw`(?:[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\uFFF9-\uFFFB]|(?!\p{M})\p{Default_Ignorable_Code_Point})`;
