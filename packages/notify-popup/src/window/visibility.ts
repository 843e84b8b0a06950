import type { Visibility } from '../x11/visibility.ts';

/** What the platform tells about a popup; undefined for what it does not tell. */
interface VisibilityFacts {
  readonly isLocked?: boolean;
  /** As the window system sees the window. */
  readonly window?: Visibility;
  /** As the browser sees its page. The window system knows more. */
  readonly page?: Visibility;
}

/** @returns a function that takes each new fact, and reports how much the person can see of the popup, if that changes */
export function visibilityReporter(
  report: (visibility: Visibility) => void,
): (news: VisibilityFacts) => void {
  let facts: VisibilityFacts = {};
  let last: Visibility | undefined;
  return (news) => {
    facts = { ...facts, ...news };
    // That the screen is not locked says nothing of the window.
    const shown = facts.window ?? facts.page ?? (last === undefined ? undefined : 'visible');
    const visibility = facts.isLocked === true ? 'locked' : shown;
    if (visibility === undefined || visibility === last) return;
    last = visibility;
    report(visibility);
  };
}
