import { create } from '../card/create.ts';

/** Milliseconds that an announcement stays in its region, long enough for slow screen readers to fetch it. */
const STAYS_MS = 10_000;

/** Two live regions that exist before the first toast: a region that arrives with its text is not read out. */
export class Announcer {
  readonly polite: HTMLElement = create('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  readonly assertive: HTMLElement = create('div', {
    class: 'unseen',
    role: 'alert',
    'aria-live': 'assertive',
  });

  say(text: string, urgency: 'polite' | 'assertive'): void {
    const line = create('p', {}, text);
    this[urgency].append(line);
    setTimeout(() => line.remove(), STAYS_MS);
  }
}
