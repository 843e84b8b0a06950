import type { Severity } from '../notification/notification.ts';

/** The words on a card. */
export type CardLabels = Readonly<Record<Severity | 'close', string>>;

export const englishCardLabels: CardLabels = {
  info: 'Information',
  success: 'Success',
  warning: 'Warning',
  error: 'Error',
  close: 'Close',
};
