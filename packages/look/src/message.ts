import { escapeHtml, codePointLength } from '@deskside/core/text';
import { micromark, type Options } from 'micromark';
import { gfmAutolinkLiteral, gfmAutolinkLiteralHtml } from 'micromark-extension-gfm-autolink-literal';
import { gfmStrikethrough, gfmStrikethroughHtml } from 'micromark-extension-gfm-strikethrough';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { gfmTaskListItem, gfmTaskListItemHtml } from 'micromark-extension-gfm-task-list-item';
import { safeText, textOf } from './html.ts';

const MIN_CHOICES = 2;
const MAX_CHOICES = 9;
const MAX_CHOICE_CODE_POINTS = 80;

const OPTIONS: Options = {
  extensions: [
    gfmAutolinkLiteral(),
    gfmStrikethrough({ singleTilde: false }),
    gfmTable(),
    gfmTaskListItem(),
    // HTML appears as its source text.
    { disable: { null: ['htmlFlow', 'htmlText'] } },
  ],
  htmlExtensions: [gfmAutolinkLiteralHtml(), gfmStrikethroughHtml(), gfmTableHtml(), gfmTaskListItemHtml()],
  // Keeps the address of each link, for the text. Links to anything but the web and mail are removed here.
  allowDangerousProtocol: true,
};

interface RenderedMarkdown {
  readonly html: string;
  /** The items of the one numbered list that follows a question; empty if there is none or more than one. */
  readonly choices: readonly string[];
  /** The same without that list, if nothing follows it and it has no links. */
  readonly htmlWithoutChoices: string | undefined;
}

/** A message as its agent wrote it, or as Markdown. */
export function renderMessage(text: string, plain: boolean, links: string[]): RenderedMarkdown {
  return plain
    ? { html: plainText(text), choices: [], htmlWithoutChoices: undefined }
    : renderMarkdown(text, links);
}

export function plainText(text: string): string {
  return `<p class="plain">${escapeHtml(safeText(text))}</p>`;
}

/**
 * Renders untrusted Markdown as safe HTML. Links lead to the web or to mail only and show their full address.
 *
 * @param links gets the target of each link; its index is the link's `data-link`
 */
export function renderMarkdown(text: string, links: string[]): RenderedMarkdown {
  const source = micromark(safeText(text), OPTIONS);
  const html = withTaskMarks(withDirections(withAddresses(withoutImages(source), links)));
  const choices = choicesIn(source);
  const end = html.lastIndexOf('<ol');
  const isLast = choices.length > 0 && /^<ol(?:(?!<\/ol>|<a ).)*<\/ol>\s*$/s.test(html.slice(end));
  return { html, choices, htmlWithoutChoices: isLast ? html.slice(0, end) : undefined };
}

const LINK = /<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs;

const IMAGE = /<img src="([^"]*)" alt="([^"]*)"[^>]*>/g;

/** Nothing is loaded: an image becomes a link to it, and in a link the text that describes it. */
function withoutImages(html: string): string {
  return html
    .replaceAll(LINK, (link) => link.replaceAll(IMAGE, '$2'))
    .replaceAll(IMAGE, (_, address: string, text: string) => `<a href="${address}">${text || address}</a>`);
}

function withAddresses(html: string, links: string[]): string {
  return html.replaceAll(LINK, (_, escapedAddress: string, content: string) => {
    const address = textOf(escapedAddress);
    const target = webAddress(address);
    if (target === undefined) return `${content} ${addressNote(address)}`;
    const shown = readableAddress(target);
    const open = `<a href="${escapeHtml(target)}" data-link="${links.length}" rel="noreferrer">`;
    links.push(target);
    return isAddress(content, target)
      ? `${open}<bdi dir="ltr">${escapeHtml(shown)}</bdi></a>`
      : `${open}${content}</a> ${addressNote(shown)}`;
  });
}

function addressNote(address: string): string {
  return `<span class="address">(<bdi dir="ltr">${escapeHtml(address)}</bdi>)</span>`;
}

/** True if a link's content is nothing but its address. */
function isAddress(content: string, target: string): boolean {
  const text = textOf(content);
  return ['', 'http://', 'mailto:'].some((scheme) => webAddress(scheme + text) === target);
}

/** @returns undefined if the address is not http, https or mailto */
function webAddress(address: string): string | undefined {
  return /^(?:https?:\/\/|mailto:)/i.test(address) && URL.canParse(address)
    ? new URL(address).href
    : undefined;
}

/** Letters of every script instead of percent-encoding. The host stays as it is looked up: no letter can pass as another. */
function readableAddress(address: string): string {
  return address.replaceAll(/(?:%[89A-F][\dA-F])+/gi, (encoded) => {
    try {
      const decoded = decodeURIComponent(encoded);
      return /^[\p{L}\p{M}\p{N}\p{S}\p{P}]*$/u.test(decoded) ? safeText(decoded) : encoded;
    } catch {
      return encoded;
    }
  });
}

/** Markers and borders follow the direction of their text. The style sheet gives each paragraph its own direction. */
function withDirections(html: string): string {
  return html.replaceAll(/<(ul|ol|blockquote|table)(?=[ >])/g, '<$1 dir="auto"');
}

function withTaskMarks(html: string): string {
  return html.replaceAll(
    /<li><input type="checkbox" disabled=""( checked="")? \/>/g,
    (_, isDone?: string) => {
      const [mark, name] = isDone === undefined ? ['☐', 'to do'] : ['☑', 'done'];
      return `<li class="task"><span role="img" aria-label="${name}">${mark}</span>`;
    },
  );
}

const QUESTION_AND_LIST = /<p>((?:(?!<p>|<\/p>).)*)<\/p>\n<ol>\n((?:(?!<ol>|<\/ol>).)*)<\/ol>/gs;
const QUESTION_MARK = /[?？؟;՞]\s*$/u;

function choicesIn(html: string): readonly string[] {
  const lists = [...html.matchAll(QUESTION_AND_LIST)]
    .filter(([, question = '']) => QUESTION_MARK.test(textOf(question)))
    .map(([, , items = '']) => itemsOf(items));
  const [only = []] = lists;
  return lists.length === 1 ? only : [];
}

/** @returns an empty list if an item is not one short line of text */
function itemsOf(html: string): readonly string[] {
  const items = html.split(/<\/?li>/).filter((_, index) => index % 2 === 1);
  const texts = items.map((item) => textOf(item.replaceAll(/^\s*<p>|<\/p>\s*$/g, '')).trim());
  const areShort = texts.every(
    (text, index) =>
      text !== '' &&
      codePointLength(text) <= MAX_CHOICE_CODE_POINTS &&
      !/\n|<(?:ul|pre|p|blockquote|table|h\d)/.test(items[index]?.trim().replace(/^<p>/, '') ?? ''),
  );
  return areShort && texts.length >= MIN_CHOICES && texts.length <= MAX_CHOICES ? texts : [];
}
