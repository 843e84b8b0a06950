import { create } from '../card/create.ts';
import { filled, type Labels } from './labels.ts';

/** How often the same notification came; nothing for once. */
export function counter(count: number, labels: Labels): HTMLElement | undefined {
  if (count === 1) return undefined;
  const spoken = create('span', { class: 'unseen' }, filled(labels.repeated, { n: count }));
  const shown = create('span', { 'aria-hidden': 'true' }, `×${count}`);
  return create('span', { class: 'count' }, shown, spoken);
}
