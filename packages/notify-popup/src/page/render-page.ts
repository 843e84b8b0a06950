import { escapeHtml, codePointLength, firstCodePoints } from '@deskside/core/text';
import builtPage from '#dist/page.json' with { type: 'json' };
import type { Exchange } from '../history/history.ts';
import type { Draft } from '../history/drafts.ts';
import type { InboxRequest, PartQuestion, Theme } from '@deskside/desktop';
import type { PopupSpec, Waiting } from '../service/presenter.ts';
import { answersOf } from '../service/questions.ts';
import { MAX_IMAGES, MAX_IMAGES_BYTES } from './images.ts';
import { MAX_TEXT_BYTES } from './page-state.ts';
import { fillTemplate, oneLine, safeText, titleLine } from '@deskside/look/html';
import { renderApproval } from '@deskside/look/approval';
import { avatarOf } from '@deskside/look/avatar';
import { plainText, renderMessage } from '@deskside/look/message';

const MAX_CALLER_CODE_POINTS = 130;
const MAX_LINE_CODE_POINTS = 120;
/** Between the parts of a caller's label. */
const SEPARATOR = ' · ';
/** Longer than 80 escaped characters. */
const MAX_ESCAPED_REPLY_CODE_POINTS = 1000;
/** Longer texts of the history are cut. The question gets the space. */
const MAX_HISTORY_CODE_POINTS = 500;

export interface PageOptions {
  readonly theme: Theme;
  /** True shows messages as plain text instead of Markdown. */
  readonly plain: boolean;
  /** False if the page has to move its window to the center of the screen. */
  readonly centered: boolean;
  /** The outer width with which the window opens, if the page can know it as such. */
  readonly width?: number | undefined;
}

export function renderPage(spec: PopupSpec, options: PageOptions) {
  const { question, history, drafts, missed } = spec;
  const links: string[] = [];
  const { questions, approval } = question;
  const waits = question.kind !== 'news';
  const isPlain = options.plain || approval !== undefined || question.isOwn === true;
  const message = renderMessage(question.message, isPlain, links);
  const decision = approval === undefined ? undefined : renderApproval(approval);
  const offersChoices = waits && question.options === undefined && questions === undefined && !decision;
  const parts = (questions ?? []).map((part) => renderPart(part, options.plain, links));
  const fixed = {
    theme: options.theme,
    kind: question.kind,
    title: escapeHtml(titleLine(question.title)),
    centered: String(options.centered),
    width: String(options.width ?? ''),
    images: String(question.acceptsImages === true ? MAX_IMAGES : 0),
    imageBytes: String(MAX_IMAGES_BYTES),
    textBytes: String(MAX_TEXT_BYTES),
    ...sender(question),
    earlier: renderEarlier(renderMissed(missed, !waits), renderHistory(history, options.plain, links)),
    message:
      ((offersChoices ? message.htmlWithoutChoices : undefined) ?? message.html) + (decision?.object ?? ''),
  };
  const areInMessage = offersChoices && message.htmlWithoutChoices === undefined;
  const offers = renderDrafts(drafts);
  return {
    /** Targets of the links, in the order of their `data-link`. */
    links,
    /**
     * The page at this moment.
     *
     * @param typed the text in the box
     * @param secondsLeft undefined without a timeout
     * @param images places of the images that the server has
     * @param isTyping the person types in another window
     */
    html(
      typed: string,
      secondsLeft: number | undefined,
      images: readonly number[] = [],
      isTyping = false,
    ): string {
      const answers = questions && answersOf(questions, typed);
      const single = splitAnswer(question, typed);
      const replies =
        answers === undefined ? renderOptions(question, message.choices, areInMessage, single.chosen) : '';
      const box = answers === undefined ? renderBox('reply', '', single.typed, decision?.box) : '';
      const [enter, asked] = answers === undefined ? ['sends', 'question'] : ['goes on', 'questions'];
      const form = waits
        ? fillTemplate(builtPage.answerForm, {
            ...(decision ?? answerButtons(enter, asked)),
            replies,
            drafts: offers,
            box,
          })
        : builtPage.messageForm;
      const filled = parts.map((part, index) => part(answers?.[index] ?? '', index + 1)).join('');
      return fillTemplate(builtPage.document, {
        ...fixed,
        timeout: secondsLeft === undefined ? '' : String(secondsLeft),
        places: images.join(' '),
        typing: String(isTyping),
        questions: filled,
        approval: decision?.arguments ?? '',
        form,
      });
    },
  };
}

function answerButtons(enter: string, asked: string) {
  const keys = `Enter ${enter}, Shift+Enter adds a line, Escape cancels`;
  return {
    label: 'Your answer',
    // For screen readers: the buttons show the keys.
    keys: `<span class="hint">${keys}</span>`,
    buttons: [
      `<button type="button" id="cancel">Cancel ${asked} <kbd aria-hidden="true">esc</kbd></button>`,
      `<button type="submit" id="submit" title="${keys}">Send <kbd aria-hidden="true">↵</kbd></button>`,
    ].join(''),
  };
}

/**
 * @param labelledBy the id of the text that asks; '' if it is the message
 * @param use '' hides it
 */
function renderBox(id: string, labelledBy: string, typed: string, use = 'Your reply'): string {
  const name = labelledBy === '' ? `aria-label="${use}"` : `aria-labelledby="${labelledBy}"`;
  return `<textarea id="${id}" class="reply" rows="1" placeholder="${use}" ${name} aria-describedby="keys"${use === '' ? ' hidden' : ''}>
${escapeHtml(typed)}</textarea>`;
}

/** @returns a function that renders one of several questions with its number and with what the person has answered */
function renderPart(part: PartQuestion, plain: boolean, links: string[]) {
  const { html } = renderMessage(part.question, plain, links);
  return (answer: string, number: number) => {
    const { chosen, typed } = splitAnswer(part, answer);
    const id = `question-${number}`;
    return `<section class="question" aria-labelledby="${id}">
<div class="asks" id="${id}"><span>${number}</span><div class="text">${html}</div></div>
${renderOptions(part, [], false, chosen)}
${renderBox(`reply-${number}`, id, typed)}</section>`;
  };
}

/** The chosen ones of several options stand before the typed text, a line each. */
function splitAnswer({ options = [], multiple }: Options, answer: string) {
  if (multiple !== true) return { chosen: [], typed: answer };
  const lines = answer.split('\n');
  const chosen = leadingOptions(options, lines);
  return { chosen, typed: lines.slice(chosen.length).join('\n') };
}

/** In the order of the options. */
function leadingOptions(options: readonly string[], lines: readonly string[]): readonly string[] {
  const shown = options.map(optionText);
  let last = -1;
  const end = lines.findIndex((line) => {
    const index = shown.indexOf(line);
    const isNext = index > last;
    last = index;
    return !isNext;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** The last part of a caller is its project. Each agent has a color of its own, as far as there are colors. */
function sender(question: InboxRequest) {
  const { caller } = question;
  const line = oneLine(caller, MAX_CALLER_CODE_POINTS);
  const end = line.lastIndexOf(SEPARATOR);
  const agent = end < 0 ? line : line.slice(0, end);
  const project = end < 0 ? '' : escapeHtml(line.slice(end + SEPARATOR.length));
  return {
    agent: escapeHtml(agent),
    about: aboutOf(project, question),
    ...avatarOf(line),
  };
}

/** @param project escaped; '' if it is not known */
function aboutOf(project: string, { kind, approval, isOwn = false }: InboxRequest): string {
  if (isOwn) return 'tells you';
  const alone = `An AI agent ${kind === 'news' ? 'says' : 'asks'}`;
  if (project === '') return approval === undefined ? alone : 'asks you';
  return `${approval === undefined ? 'AI agent' : 'asks you'} · project <bdi>${project}</bdi>`;
}

/** What is shown is what is sent. */
const optionText = (option: string) => oneLine(option, MAX_ESCAPED_REPLY_CODE_POINTS);

type Options = Pick<InboxRequest, 'options' | 'multiple'>;

/**
 * @param inText choices that the message itself offers
 * @param areInMessage true if the message shows their texts: then the buttons show only the numbers
 * @param chosen those of several options that the person has chosen
 */
function renderOptions(
  { options, multiple }: Options,
  inText: readonly string[],
  areInMessage: boolean,
  chosen: readonly string[] = [],
): string {
  const texts = (options ?? inText).map(optionText);
  if (texts.length === 0) return '';
  if (multiple === true && options !== undefined) {
    const boxes = texts.map((text, index) => {
      const digit = index < 9 ? `<kbd aria-hidden="true">${index + 1}</kbd>` : '';
      const checked = chosen.includes(text) ? ' checked' : '';
      return `<li><label><input type="checkbox" value="${escapeHtml(text)}"${checked} />${digit}<bdi>${escapeHtml(text)}</bdi></label></li>`;
    });
    return `<ul class="choices" aria-label="Choices">${boxes.join('')}</ul>`;
  }
  const buttons = texts.map(
    (text, index) =>
      `<li><button type="button" data-reply="${escapeHtml(text)}"><kbd aria-hidden="true">${index + 1}</kbd><bdi>${escapeHtml(text)}</bdi></button></li>`,
  );
  return `<ol class="replies${areInMessage ? ' short' : ''}" aria-label="Quick replies">${buttons.join('')}</ol>`;
}

function renderDrafts(drafts: readonly Draft[]): string {
  const [latest] = drafts;
  if (latest === undefined) return '';
  const items = drafts.map(({ id, text, question, caller, savedAt }) => {
    const about = `For <q><bdi>${lineOf(question)}</bdi></q> <bdi>${lineOf(caller)}</bdi>, ${time(savedAt)}`;
    return `<li data-id="${escapeHtml(id)}" data-text="${escapeHtml(text)}">
<p class="text" dir="auto">${escapeHtml(safeText(text))}</p><p class="about">${about}</p>
<button type="button" class="insert">Insert</button><button type="button" class="delete">Delete</button></li>`;
  });
  const count = drafts.length > 1 ? drafts.length : '';
  const summary = `Your unsent text <span class="count">${count}</span> <q><bdi>${lineOf(latest.text)}</bdi></q>`;
  return `<details id="drafts"><summary>${summary}</summary><ul>${items.join('')}</ul></details>`;
}

function renderEarlier(missed: string, history: string): string {
  return missed + history === ''
    ? ''
    : `<section id="earlier" aria-label="Earlier">${missed}${history}</section>`;
}

function renderMissed(missed: readonly Waiting[], isOpen: boolean): string {
  if (missed.length === 0) return '';
  const items = missed.map(
    ({ caller, firstLine, since }) =>
      `<li><b><bdi>${lineOf(caller)}</bdi></b> <bdi>${lineOf(firstLine)}</bdi> ${time(since)}</li>`,
  );
  return `<details id="missed"${isOpen ? ' open' : ''}><summary>Missed <span class="count">${missed.length}</span></summary><ul>${items.join('')}</ul></details>`;
}

function renderHistory(history: readonly Exchange[], plain: boolean, links: string[]): string {
  if (history.length === 0) return '';
  const rendered = (text: string) => renderMessage(text, plain, links).html;
  const entries = history.flatMap(({ message, reply, at, outcome }) => {
    const ended = outcome === undefined ? '' : ` · ${escapeHtml(outcome)}`;
    const sent = historyEntry('Agent', `${time(at.toISOString())}${ended}`, message, rendered);
    return reply === undefined ? [sent] : [sent, historyEntry('You', '', reply, plainText)];
  });
  return `<details id="history"><summary>Earlier in this project <span class="count">${entries.length}</span></summary><div role="log" aria-label="Earlier in this project" tabindex="0">${entries.join('')}</div></details>`;
}

function historyEntry(
  speaker: 'Agent' | 'You',
  at: string,
  text: string,
  render: (text: string) => string,
): string {
  const length = codePointLength(text);
  const hidden = length - MAX_HISTORY_CODE_POINTS;
  const html = render(hidden > 0 ? `${firstCodePoints(text, MAX_HISTORY_CODE_POINTS)}…` : text);
  const rest =
    hidden > 0
      ? `<p class="rest">${hidden.toLocaleString('en-US')} more characters in the conversation log</p>`
      : '';
  return `<div class="entry ${speaker.toLowerCase()}"><p class="speaker">${speaker} ${at}</p><div class="text">${html}</div>${rest}</div>`;
}

function lineOf(text: string): string {
  return escapeHtml(oneLine(text, MAX_LINE_CODE_POINTS));
}

/** The page writes it in the person's format. */
function time(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}"></time>`;
}
