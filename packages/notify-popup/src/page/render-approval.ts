import { escapeHtml } from '@deskside/core/base';
import { codePointLength } from '@deskside/core/text';
import { type Approval, type ApprovalCall, callsOf } from '../service/approval.ts';
import { oneLine, safeText } from './html.ts';
import { renderReview } from './render-review.ts';

const MAX_NAME_CODE_POINTS = 200;
const MAX_CLAIM_CODE_POINTS = 300;
/** A longer value is folded: its beginning and its length are shown. */
const MAX_OPEN_CODE_POINTS = 300;
const MAX_OPEN_LINES = 6;
const MAX_BEGINNING_CODE_POINTS = 80;

/** What an approval adds to the page. Everything in it is of other programs: plain text, no Markdown. */
export function renderApproval(approval: Approval) {
  const { claim, more, isExact, review } = approval;
  if (review !== undefined) return renderReview(review);
  const isAlone = callsOf(approval).length === 1;
  const shownClaim =
    claim === undefined ? '' : `<p id="claim">${escapeHtml(oneLine(claim, MAX_CLAIM_CODE_POINTS))}</p>`;
  return {
    label: 'Your decision',
    box: 'Why not? The agent reads it if you deny.',
    keys: 'Enter never allows. <kbd>Esc</kbd> for later',
    arguments: `${shownClaim}<div id="asked">${renderCalls(approval)}</div>`,
    more: more.length === 0 ? '' : renderMore(more, isExact),
    buttons: [
      `<button type="button" id="deny">${isAlone ? 'Deny' : 'Deny all'}</button>`,
      `<button type="button" id="allow" data-scope="once">${isAlone ? allowText(more) : ALLOW_ALL}</button>`,
      more.length === 0 ? '' : MORE_TOGGLE,
    ].join(''),
  };
}

/** Also in the page, which learns of further calls. */
const ALLOW_ALL = 'Allow all shown once';

function allowText(more: Approval['more']): string {
  return more.length === 0 ? 'Allow' : 'Allow once';
}

/** The calls that wait, each with its arguments. The buttons of each one appear when there are several. */
export function renderCalls(approval: Approval): string {
  return callsOf(approval).map(renderCall).join('');
}

function renderCall({ id = '', arguments: given, calls }: ApprovalCall): string {
  const items = given.map(({ name, value }) => `<dt>${nameOf(name)}</dt><dd>${renderValue(value)}</dd>`);
  const list = items.length === 0 ? '<p class="none">No arguments</p>' : `<dl>${items.join('')}</dl>`;
  const equal = calls > 1 ? `${calls} equal calls wait. "Allow once" runs one of them.` : '';
  // The place of the number is there before a second call waits, so that no button moves.
  return `<section class="call" aria-label="Call" data-id="${escapeHtml(id)}">${list}<p class="equal">${equal}</p>
<p class="own"><button type="button">Deny</button><button type="button" data-scope="once">Allow once</button></p></section>`;
}

const MORE_TOGGLE =
  '<button type="button" id="more-toggle" aria-label="Allow for longer" title="Allow for longer" aria-expanded="false" aria-controls="more">▾</button>';

function renderMore(more: Approval['more'], isExact: boolean): string {
  const texts = {
    session: 'Allow this tool in this session',
    always: isExact ? 'Always allow it with exactly these arguments' : 'Always allow this tool',
  };
  const buttons = more.map((scope) => `<button type="button" data-scope="${scope}">${texts[scope]}</button>`);
  return `<div id="more" role="group" aria-label="Allow for longer" hidden>${buttons.join('')}</div>`;
}

function nameOf(name: string): string {
  return `<bdi>${escapeHtml(oneLine(name, MAX_NAME_CODE_POINTS))}</bdi>`;
}

function renderValue(value: string): string {
  const shown = `<pre dir="auto">${escapeHtml(safeText(value))}</pre>`;
  const length = codePointLength(value);
  const lines = value.split('\n').length;
  if (length <= MAX_OPEN_CODE_POINTS && lines <= MAX_OPEN_LINES) return shown;
  const beginning = escapeHtml(oneLine(value, MAX_BEGINNING_CODE_POINTS));
  const size = `${length.toLocaleString('en-US')} characters`;
  return `<details><summary><bdi>${beginning}</bdi> <span class="count">${size}</span></summary>${shown}</details>`;
}
