import { type CardLabels, englishCardLabels } from '../card/labels.ts';

/** Every word the element says by itself; `{n}` and `{key}` are filled in. */
export type Labels = CardLabels &
  Readonly<
    Record<'region' | 'repeated' | 'more' | 'hint' | 'centre' | 'clear' | 'closeCentre' | 'empty', string>
  >;

export const englishLabels: Labels = {
  ...englishCardLabels,
  region: 'Notifications ({key})',
  repeated: '{n} times',
  more: '{n} more',
  hint: 'Actions: press {key}.',
  centre: 'Notifications',
  clear: 'Clear all',
  closeCentre: 'Close notifications',
  empty: 'No notifications',
};

export function filled(label: string, values: Readonly<Record<string, string | number>>): string {
  return label.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
