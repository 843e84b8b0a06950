import { escapeHtml } from '@deskside/core/text';
import type { Approval, ApprovalCall } from '@deskside/desktop';
import {
  type ButtonWords,
  decisionWords,
  equalWords,
  foldOf,
  objectOf,
  scopeWords,
} from './approval-words.ts';
import { oneLine, renderPieces, safeText, unseenLine } from './html.ts';
import { renderReview } from './render-review.ts';

const MAX_NAME_CODE_POINTS = 200;
const MAX_CLAIM_CODE_POINTS = 300;

/** What an approval adds to the page. Everything in it is of other programs: plain text, no Markdown. */
export function renderApproval(approval: Approval) {
  const { claim, destroys = false, more, review, offer } = approval;
  if (review !== undefined) return renderReview(review);
  const { deny, allow, reason } = decisionWords(approval);
  const object = objectOf(approval);
  const isAlone = callsOf(approval).length === 1;
  const shownClaim =
    claim === undefined
      ? ''
      : `<p id="claim"${destroys ? ' data-destroys' : ''}>${escapeHtml(oneLine(claim, MAX_CLAIM_CODE_POINTS))}</p>`;
  return {
    label: 'Your decision',
    box: reason,
    keys: `Enter never allows. Esc for ${offer === undefined ? 'later' : escapeHtml(offer.refuse.toLowerCase())}`,
    later: offer === undefined ? '' : 'hidden',
    object: object === '' ? '' : `<span class="object"> <bdi>${escapeHtml(object)}</bdi></span>`,
    arguments: `${shownClaim}<div id="asked">${renderCalls(approval)}</div>`,
    more: unseenLine(true) + (more.length === 0 ? '' : renderMore(approval)),
    buttons: [
      `<button type="button" id="deny" ${renderWords(deny, isAlone)}</button>`,
      `<button type="button" id="allow" data-scope="once" ${renderWords(allow, isAlone)}</button>`,
      more.length === 0 ? '' : MORE_TOGGLE,
    ].join(''),
  };
}

/** The page takes the other words when calls join or leave. */
function renderWords({ one, all }: ButtonWords, isAlone: boolean): string {
  return `data-one="${escapeHtml(one)}" data-all="${escapeHtml(all)}">${escapeHtml(isAlone ? one : all)}`;
}

/** The calls that wait, each with its arguments. The buttons of each one appear when there are several. */
export function renderCalls(approval: Approval): string {
  return callsOf(approval).map(renderCall).join('');
}

/**
 * What the page of an approval asks for when the person unfolds a value.
 *
 * @param asked which one: the id of its `call`, and its place (`part`) among the arguments
 * @returns undefined if the call does not wait any more
 */
export function wholeValue(approval: Approval | undefined, asked: URLSearchParams): string | undefined {
  const call = approval && callsOf(approval).find(({ id = '' }) => id === asked.get('call'));
  const given = call?.arguments[Number(asked.get('part'))];
  return given && safeText(given.value);
}

function renderCall(call: ApprovalCall): string {
  const { id = '', arguments: given } = call;
  const items = given.map(({ name, value }, index) => renderArgument(name, value, index));
  const list = items.length === 0 ? '<p class="none">No arguments</p>' : `<dl>${items.join('')}</dl>`;
  // The place of the number is there before a second call waits, so that no button moves.
  return `<div class="call" role="group" aria-label="Call" data-id="${escapeHtml(id)}">${list}<p class="equal">${equalWords(call)}</p>
<p class="own"><button type="button">Deny</button><button type="button" data-scope="once">Allow once</button></p></div>`;
}

const MORE_TOGGLE =
  '<button type="button" id="more-toggle" aria-label="Allow for longer" title="Allow for longer" aria-expanded="false" aria-controls="more">Longer ▾</button>';

function renderMore(approval: Approval): string {
  const buttons = approval.more.map(
    (scope) => `<button type="button" data-scope="${scope}">${scopeWords(scope, approval)}</button>`,
  );
  return `<div id="more" role="group" aria-label="Allow for longer" hidden>${buttons.join('')}</div>`;
}

function renderArgument(name: string, value: string, index: number): string {
  const shown = renderPieces(oneLine(name, MAX_NAME_CODE_POINTS));
  return `<div class="part" tabindex="-1"><dt><bdi>${shown}</bdi></dt><dd>${renderValue(value, index)}</dd></div>`;
}

/** A page gets both ends of a long value, however many calls wait, and the rest of it when the person unfolds it. */
function renderValue(value: string, index: number): string {
  const fold = foldOf(value);
  if (fold === undefined) return `<pre dir="auto">${renderPieces(value)}</pre>`;
  const { beginning, end, size } = fold;
  const ends = [beginning, end]
    .filter((text) => text !== '')
    .map((text) => `<bdi>${renderPieces(text)}</bdi>`);
  const summary = `<summary>${ends.join(' ')} <span class="count">${size}</span></summary>`;
  return `<details class="fold" data-part="${index}">${summary}<pre dir="auto"></pre></details>`;
}

function callsOf(approval: Approval): readonly ApprovalCall[] {
  return [approval, ...(approval.others ?? [])];
}
