/** Positions are rounded: a part of a line may be cut. */
const WHOLE = 0.9;

/** What of an approval or a review was not in view. */
export interface ViewGate {
  /** Takes what is to be seen in this element. What it has taken before is not taken again. */
  watch(root: Element): void;
  /** To be called for pieces that were in view before. */
  drop(pieces: Iterable<Element>): void;
  /** All that it has taken, in this order. */
  readonly pieces: readonly Element[];
  /** How many parts of this element were not in view. */
  unseenIn(root: Element): number;
  /** Scrolls to the first thing that was not in view, and unfolds it. */
  showNext(): void;
}

/**
 * Nothing is allowed that was not in view: each `.piece` as a whole, and each `details.fold` unfolded. A `.part` with what
 * is in it counts as one.
 *
 * @param onLook called after each look, with the pieces that came into view
 * @param load gets the whole of a folded value, which the query names; undefined if its call does not wait any more
 */
export function viewGate(
  onLook: (seen: readonly Element[]) => void,
  load: (query: string) => Promise<string | undefined>,
): ViewGate {
  const taken = new Set<Element>();
  const unseen = new Set<Element>();
  const observer = new IntersectionObserver(
    (entries) => {
      const whole = entries.filter(
        ({ isIntersecting, intersectionRatio }) => isIntersecting && intersectionRatio >= WHOLE,
      );
      see(whole.map(({ target }) => target));
    },
    // Browsers round it, too, and tell of a piece once: one that stops there would never count.
    { threshold: WHOLE + 0.01 },
  );

  function see(pieces: readonly Element[]): void {
    drop(pieces);
    onLook(pieces);
  }

  function drop(pieces: Iterable<Element>): void {
    for (const piece of pieces) {
      unseen.delete(piece);
      observer.unobserve(piece);
    }
  }

  async function unfold(fold: HTMLDetailsElement): Promise<void> {
    const text = fold.querySelector('pre');
    if (text === null || !fold.open) return;
    const { id: call = '' } = fold.closest<HTMLElement>('.call')?.dataset ?? {};
    const query = String(new URLSearchParams({ call, part: fold.dataset['part'] ?? '' }));
    // What cannot be had stays folded.
    const value = text.textContent || (await load(query).catch(() => undefined));
    fold.open = value !== undefined;
    if (value === undefined) return;
    text.textContent = value;
    see([fold]);
  }

  return {
    watch(root) {
      for (const piece of root.querySelectorAll('.piece, details.fold')) {
        if (taken.has(piece)) continue;
        taken.add(piece);
        unseen.add(piece);
        if (piece instanceof HTMLDetailsElement) piece.addEventListener('toggle', () => void unfold(piece));
        else observer.observe(piece);
      }
    },
    drop,
    get pieces() {
      return [...taken];
    },
    unseenIn(root) {
      const within = [...unseen].filter((piece) => root.contains(piece));
      return new Set(within.map((piece) => piece.closest('.part') ?? piece)).size;
    },
    showNext() {
      // Some are of calls that have gone.
      const piece = [...unseen].find(({ isConnected }) => isConnected);
      if (piece === undefined) return;
      if (piece instanceof HTMLDetailsElement) piece.open = true;
      piece.scrollIntoView({ block: 'start' });
      const part = piece.closest('.part');
      if (part instanceof HTMLElement) part.focus({ preventScroll: true });
    },
  };
}

/** How many of the parts were not in view, for a person. */
export function unseenWords(unseen: number, count: number): string {
  if (count === 1) return unseen === 0 ? 'You have seen everything.' : 'You have not seen everything yet.';
  return unseen === 0 ? `All ${count} parts were in view.` : `${unseen} of ${count} parts not yet seen.`;
}
