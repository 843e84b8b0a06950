import { escapeInvisible, truncateCodePoints } from '@deskside/core/text';
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import builtPage from '#dist/page.json' with { type: 'json' };
import type { Exchange } from '../history/conversation-log.ts';
import type { PopupSpec, Theme } from '../service/presenter.ts';

const MAX_TITLE_CODE_POINTS = 100;
const MAX_CALLER_CODE_POINTS = 130;
/** More combining marks than this on one character do not occur in any language. */
const EXCESS_MARKS = /(\p{M}{4})\p{M}+/gu;

export interface PageOptions {
  readonly theme: Theme;
  /** True shows the message as plain text instead of Markdown. */
  readonly plain: boolean;
  /** False if the page has to move its window to the center of the screen. */
  readonly centered: boolean;
}

export interface RenderedPage {
  readonly html: string;
  /** Targets of the links in the message, in order. */
  readonly links: readonly string[];
}

export function renderPage({ question, history, drafts }: PopupSpec, options: PageOptions): RenderedPage {
  const { waitsForResponse, timeout, title, caller } = question;
  const [draft] = drafts;
  const message = renderMessage(question.message, options.plain);
  const form = fillTemplate(waitsForResponse ? builtPage.answerForm : builtPage.messageForm, {
    offered: draft === undefined ? 'hidden' : '',
    draft: escapeHtml(draft?.text ?? ''),
  });
  const html = fillTemplate(builtPage.document, {
    theme: options.theme,
    title: escapeHtml(oneLine(title, MAX_TITLE_CODE_POINTS)),
    timeout: timeout === undefined ? '' : String(timeout),
    centered: String(options.centered),
    sender: senderLine(caller, waitsForResponse),
    history: renderHistory(history),
    message: message.html,
    form,
  });
  return { html, links: message.links };
}

/** Always names the agent, so that no title can pass as a message of the system. */
function senderLine(caller: string, asks: boolean): string {
  const name = escapeHtml(oneLine(caller, MAX_CALLER_CODE_POINTS));
  return `An AI agent in <b>${name}</b> ${asks ? 'asks' : 'says'}`;
}

function renderHistory(history: readonly Exchange[]): string {
  if (history.length === 0) return '';
  const lines = history.flatMap(({ message, reply }) => [
    historyLine('Agent', message),
    ...(reply === undefined ? [] : [historyLine('You', reply)]),
  ]);
  return `<section id="history" role="log" aria-label="Earlier in this conversation" tabindex="0">${lines.join('')}</section>`;
}

function historyLine(speaker: string, text: string): string {
  return `<p dir="auto"><b>${speaker}:</b> ${escapeHtml(safeText(text))}</p>`;
}

function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** HTML and images appear as their source text. */
const WITHOUT_HTML_AND_IMAGES = { disable: { null: ['htmlFlow', 'htmlText', 'labelStartImage'] } };

const LINK = /<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs;

/** Renders Markdown or plain text as safe HTML. Links lead to the web or to mail only, and show their full address. */
function renderMessage(message: string, plain: boolean): RenderedPage {
  const text = safeText(message);
  if (plain) return { html: `<p class="plain">${escapeHtml(text)}</p>`, links: [] };
  const links: string[] = [];
  const html = micromark(text, {
    extensions: [gfmTable(), WITHOUT_HTML_AND_IMAGES],
    htmlExtensions: [gfmTableHtml()],
  }).replaceAll(LINK, (_, address: string, content: string) => {
    const target = webAddress(address);
    if (target === undefined) return `${content} <span class="address">(${address})</span>`;
    links.push(target);
    const suffix = content === address ? '' : ` <span class="address">(${address})</span>`;
    return `<a href="${address}" rel="noreferrer">${content}</a>${suffix}`;
  });
  return { html, links };
}

/** @returns undefined if the address is not http, https or mailto */
function webAddress(escaped: string): string | undefined {
  const address = escaped.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
  return /^(?:https?:\/\/|mailto:)/i.test(address) && URL.canParse(address)
    ? new URL(address).href
    : undefined;
}

/** Shows control and invisible characters, and removes excess combining marks, which would cover other lines. */
function safeText(text: string): string {
  return escapeInvisible(text, { multiline: true }).replaceAll(EXCESS_MARKS, '$1');
}

function oneLine(text: string, maxCodePoints: number): string {
  return truncateCodePoints(safeText(text).replaceAll(/\s+/gu, ' '), maxCodePoints);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text between tags and for quoted attribute values. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
