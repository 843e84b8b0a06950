import { find } from './find.js';
import { unfolding } from './unfold.js';

/**
 * "Not now" unfolds for how long, and for which agents, nothing interrupts.
 *
 * @param onPress makes a handler for clicks that send
 * @param choose gets a period, and whether it is for all agents
 */
export function notNow(guard, onPress, choose) {
  const panel = find('quiet');
  const choices = unfolding(find('not-now'), panel, guard);
  panel.addEventListener(
    'click',
    onPress(({ target }) => {
      const { period, all } = target.closest('button')?.dataset ?? {};
      if (period !== undefined) choose(period, all !== undefined);
    }),
  );

  return {
    /** @param detail of a click: 0 for a key, which then goes on in the choices */
    open({ detail }) {
      choices.open();
      if (detail === 0) panel.querySelector('button').focus();
    },
    close: choices.close,
  };
}
