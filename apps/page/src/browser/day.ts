import { get } from './connection.ts';
import { byId, setHtml } from './dom.ts';

const section = byId('day', HTMLElement);
const picture = byId('picture', HTMLElement);

const DAY_MS = 86_400_000;
const earlier = byId('earlier', HTMLButtonElement);
const later = byId('later', HTMLButtonElement);
/** Days before today. */
let daysAgo = 0;
let drawn = '';
let drawnDaysAgo = 0;

/** `2026-11-24` on the clock of this machine. */
export function dateOf(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
}

function step(days: number): void {
  daysAgo = Math.max(0, daysAgo + days);
  later.disabled = daysAgo === 0;
  void loadDay();
}

earlier.addEventListener('click', () => step(1));
later.addEventListener('click', () => step(-1));

export async function loadDay(): Promise<void> {
  const wanted = daysAgo;
  // Noon exists on every day, also when the clock changes.
  const noon = new Date(new Date().setHours(12, 0, 0, 0) - daysAgo * DAY_MS);
  const answer = await get<{ readonly html: string }>(`/day?date=${dateOf(noon)}`);
  // The person has gone on to another day.
  if (wanted !== daysAgo) return;
  section.hidden = answer === undefined;
  if (answer === undefined || answer.html === drawn) return;
  // What the person reads now stays as it is.
  if (drawnDaysAgo === daysAgo && picture.querySelector(':focus, details[open]') !== null) return;
  drawn = answer.html;
  drawnDaysAgo = daysAgo;
  setHtml(picture, drawn);
  // The page has its own headings.
  for (const heading of picture.querySelectorAll('h1, h2')) heading.setAttribute('aria-level', '3');
}
