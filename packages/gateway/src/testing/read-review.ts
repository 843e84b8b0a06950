import type { Desktop } from '@deskside/notify-popup/testing/desktop';
import { colorAt, standsStill } from '@deskside/notify-popup/testing/picture';

/** Places, from the lower right corner of the window, in pixels. */
const NEXT = [-70, -75] as const;
const ACCEPT_ALL = [-24, -35] as const;
/** Of a button that accepts, in the light theme. */
const BLUE = '#1f4fbf';

/**
 * Presses "Show the next" in the popup's window until every part of the review was in view. The buttons that accept are
 * blue then.
 *
 * @param folder the one that the virtual screen has in `-fbdir`
 */
export async function readReview(folder: string, desktop: Desktop): Promise<void> {
  await desktop.popupHasKeyboard();
  while (colorAt(folder, desktop.popup(), ...ACCEPT_ALL) !== BLUE) {
    desktop.click(...NEXT);
    await standsStill(folder, desktop.popup);
  }
}
