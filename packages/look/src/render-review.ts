import { escapeHtml } from '@deskside/core/text';
import type { Review, ReviewLine, ReviewPart } from '@deskside/desktop';
import { renderPieces, safeText, unseenLine } from './html.ts';
import { parametersOf } from './parameters.ts';

/** What a review adds to the page. Everything in it is of other programs: plain text, no Markdown. */
export function renderReview({ parts, offersReading }: Review) {
  // It leaves out a tool about which there is a warning, also one that claims to read only.
  const reading = parts.some(isSuspicious) ? 'Reading tools without a warning' : 'Reading tools only';
  return {
    label: 'Your decision',
    object: '',
    box: offersReading ? 'Accept none, and say why…' : 'Deny with a reason…',
    keys: 'Enter never accepts. Esc for later',
    arguments: `<div id="review">${parts.map(renderPart).join('')}</div>`,
    more: parts.length === 0 ? '' : unseenLine(false),
    buttons: [
      `<button type="button" id="deny">${offersReading ? 'Accept none' : 'Deny'}</button>`,
      offersReading ? `<button type="button" data-scope="reading">${reading}</button>` : '',
      `<button type="button" id="allow" data-scope="once">${offersReading ? 'Accept all' : 'Apply'}</button>`,
    ].join(''),
  };
}

const isSuspicious = ({ lines = [] }: ReviewPart) => lines.some(({ mark }) => mark === 'warning');
/** A tool is a row: its name, what it does to data, and what it says. */
function renderPart(part: ReviewPart, index: number): string {
  const { title, isHeading = false, state, claim, text, schema, fields = [], lines = [] } = part;
  const isFolded = schema !== undefined && !isSuspicious(part);
  const id = `part-${index + 1}`;
  const heading = [
    `<bdi>${renderPieces(title.replace(/^tool /, ''))}</bdi>`,
    state === undefined ? '' : ` <span class="state">${state}</span>`,
    claim === undefined
      ? ''
      : ` <span class="claim" data-claim="${escapeHtml(claim)}">${renderPieces(claim)}</span>`,
  ];
  const said = text === undefined ? [] : text.split('\n').map((line) => renderLine('says', { text: line }));
  const shown = [
    ...parametersOf(schema).map((parameter) => ({ text: parameter })),
    ...(isFolded ? [] : fields),
    ...lines,
  ].map((line) => renderLine('field', line));
  return `<section class="part${isHeading ? ' heading' : ''}" tabindex="-1" aria-labelledby="${id}"><h2 id="${id}">${heading.join('')}</h2><div>${said.join('')}${shown.join('')}${isFolded ? renderFolded(fields) : ''}</div></section>`;
}

function renderLine(kind: 'says' | 'field', { text, mark }: ReviewLine): string {
  const marked = mark === undefined ? '' : ` data-mark="${mark}"`;
  return `<p class="${kind}"${marked} dir="auto">${renderPieces(text.replace(/^\/(?=\w+:)/, ''))}</p>`;
}

/** What a yes does not need: no part of it counts as unseen. */
function renderFolded(fields: readonly ReviewLine[]): string {
  const text = fields.map((line) => line.text).join('\n');
  return `<details class="schema"><summary>Schema</summary><pre dir="ltr">${escapeHtml(safeText(text))}</pre></details>`;
}
