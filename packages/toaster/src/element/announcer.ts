import { statusOf } from '../card/card.ts';
import { create } from '../card/dom.ts';
import { fillLabel, type Settings } from './settings.ts';
import type { Toast } from './toast.ts';

/** How long an announcement stays in its region, so that slow screen readers find it. */
const ANNOUNCEMENT_MS = 10_000;
/** The lines of a region at the same time. Further toasts are only counted. */
const MAX_LINES = 5;
/** Changes of a toast are announced at most this often. */
const CHANGE_INTERVAL_MS = 2000;

/** Two live regions. They exist before the first toast: a region that appears together with its text is not read out. */
export class Announcer {
  readonly polite: HTMLElement = createRegion('status', 'polite');
  readonly assertive: HTMLElement = createRegion('alert', 'assertive');
  readonly #settings: Settings;
  readonly #lines = new WeakMap<Toast, HTMLElement>();
  /** How many toasts a region has not named. */
  readonly #unnamed = new Map<HTMLElement, number>();
  /** The toasts with a change in the last interval, and whether they have changed again. */
  readonly #changes = new Map<Toast, { readonly wasError: boolean; again: boolean }>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Errors interrupt the screen reader; other notifications wait until it is idle. */
  announce(toast: Toast): void {
    const { labels, hotkey } = this.#settings;
    const { title, message, actions, ended } = toast.notification;
    const hint = actions.length > 0 && hotkey && fillLabel(labels.hint, { key: hotkey });
    const status = statusOf(toast.notification, labels);
    const parts = [status, title && `${title}.`, message, ended && labels.ended, hint];
    this.#lines.get(toast)?.replaceChildren();
    const line = this.#say(toast.isError ? this.assertive : this.polite, parts.filter(Boolean).join(' '));
    if (line) this.#lines.set(toast, line);
  }

  /** Announces a toast that has changed: the first change and a new error at once, the last one after the interval. */
  announceChange(toast: Toast): void {
    const recent = this.#changes.get(toast);
    if (recent && (recent.wasError || !toast.isError)) {
      recent.again = true;
      return;
    }
    const change = { wasError: toast.isError, again: false };
    this.#changes.set(toast, change);
    this.announce(toast);
    setTimeout(() => {
      if (this.#changes.get(toast) !== change) return;
      this.#changes.delete(toast);
      if (change.again) this.announceChange(toast);
    }, CHANGE_INTERVAL_MS);
  }

  #say(region: HTMLElement, text: string): HTMLElement | undefined {
    if (region.childElementCount >= MAX_LINES) {
      const unnamed = this.#unnamed.get(region) ?? 0;
      this.#unnamed.set(region, unnamed + 1);
      if (unnamed === 0) setTimeout(() => this.#count(region), ANNOUNCEMENT_MS);
      return undefined;
    }
    return this.#write(region, text);
  }

  #write(region: HTMLElement, text: string): HTMLElement {
    const line = create('p', {}, text);
    region.append(line);
    setTimeout(() => line.remove(), ANNOUNCEMENT_MS);
    return line;
  }

  #count(region: HTMLElement): void {
    const text = fillLabel(this.#settings.labels.more, { n: this.#unnamed.get(region) ?? 0 });
    this.#unnamed.delete(region);
    // Also if newer toasts have filled the region: else their number would be lost.
    this.#write(region, text);
  }
}

/** A region that is not atomic: the screen reader reads the new line, not the earlier ones again. */
function createRegion(role: string, live: string): HTMLElement {
  return create('div', { class: 'unseen', role, 'aria-live': live, 'aria-atomic': 'false' });
}
