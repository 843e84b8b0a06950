import type { Review, ReviewLine, ReviewPart } from '@deskside/desktop';
import { renderPieces, unseenLine } from './html.ts';

/** What a review adds to the page. Everything in it is of other programs: plain text, no Markdown. */
export function renderReview({ parts, offersReading }: Review) {
  const count = parts.length === 0 ? '' : unseenLine(false);
  const none = offersReading ? 'Accept none' : 'Deny';
  return {
    label: 'Your decision',
    box: 'Why not? The command prints it if you deny.',
    keys: 'Enter never accepts. <kbd>Esc</kbd> for later',
    arguments: parts.map(renderPart).join(''),
    more: count,
    buttons: [
      `<button type="button" id="deny">${none}</button>`,
      offersReading ? '<button type="button" data-scope="reading">Reading tools only</button>' : '',
      `<button type="button" id="allow" data-scope="once">${offersReading ? 'Accept all' : 'Allow'}</button>`,
    ].join(''),
  };
}

function renderPart(part: ReviewPart, index: number): string {
  const { title, isHeading = false, state, claim, text, lines = [] } = part;
  const id = `part-${index + 1}`;
  const heading = [
    state === undefined ? '' : `<span class="state">${state}</span> `,
    `<bdi>${renderPieces(title)}</bdi>`,
    claim === undefined ? '' : ` <span class="claim">${renderPieces(claim)}</span>`,
  ];
  const said = text === undefined ? [] : text.split('\n').map((line) => renderLine('says', { text: line }));
  const fields = lines.map((line) => renderLine('field', line));
  const kind = isHeading ? 'part heading' : 'part';
  return `<section class="${kind}" tabindex="-1" aria-labelledby="${id}"><h2 id="${id}">${heading.join('')}</h2>${said.join('')}${fields.join('')}</section>`;
}

function renderLine(kind: 'says' | 'field', { text, mark }: ReviewLine): string {
  const marked = mark === undefined ? '' : ` data-mark="${mark}"`;
  return `<p class="${kind}"${marked} dir="auto">${renderPieces(text)}</p>`;
}
