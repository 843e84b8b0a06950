import { find } from './find.js';

/**
 * What the page says: beside the buttons, above the message, and to screen readers.
 *
 * @param boxInUse returns the box with the keyboard
 * @param onChange called when the page may have another height
 */
export function pageVoice(boxInUse, onChange) {
  const status = find('status');
  const feedback = find('feedback');
  const banner = find('banner');
  const notices = new Map();

  function say(text) {
    if (feedback === null || feedback.textContent === text) return;
    feedback.textContent = text;
    status.textContent = text;
  }

  return {
    say,
    /** For screen readers. */
    announce(text) {
      status.textContent = text;
    },
    /** Shows why a key or click did nothing. */
    block(reason) {
      say(reason);
      boxInUse()?.animate?.([{ outlineColor: 'transparent' }, {}], { duration: 250 });
    },
    /** @param text '' removes the notice of this kind */
    notice(kind, text) {
      notices.set(kind, text);
      banner.textContent = [...notices.values()].join(' ').trim();
      banner.hidden = banner.textContent === '';
      if (text !== '') status.textContent = text;
      onChange();
    },
  };
}
