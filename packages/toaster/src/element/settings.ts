import { type CardLabels, englishCardLabels } from '../card/card.ts';

/** All words of the element. `{n}` and `{key}` are placeholders. */
export type Labels = CardLabels &
  Readonly<
    Record<'region' | 'repeated' | 'more' | 'hint' | 'center' | 'clear' | 'closeCenter' | 'empty', string>
  >;

export const englishLabels: Labels = {
  ...englishCardLabels,
  region: 'Notifications ({key})',
  repeated: '{n} times',
  more: '{n} more',
  hint: 'Actions: press {key}.',
  center: 'Notifications',
  clear: 'Clear all',
  closeCenter: 'Close notifications',
  empty: 'No notifications',
};

export function fillLabel(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What the page has set on the element. Attributes are read when they are needed. */
export class Settings {
  labels: Labels = englishLabels;
  readonly #host: Element;

  constructor(host: Element) {
    this.#host = host;
  }

  /** The key that moves focus into the toasts; empty for none. */
  get hotkey(): string {
    return this.#host.getAttribute('hotkey') ?? 'F8';
  }

  /** Whether toasts with actions close after their `duration`, even if that is too short to read them. */
  get exactDurations(): boolean {
    return this.#host.hasAttribute('exact-durations');
  }
}
