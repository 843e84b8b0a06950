import { renderMessage } from '../markdown/render-message.ts';
import type { Exchange } from '../history/exchange.ts';
import type { PopupSpec } from '../service/presenter.ts';
import type { Theme } from '../service/question.ts';
import { escapeHtml } from '../markdown/escape-html.ts';
import { tame } from '../markdown/tame.ts';
import { pageSource } from './page-source.ts';

const LONGEST_TITLE = 100;
const LONGEST_CLIENT = 60;

export interface PageLook {
  readonly theme: Theme;
  /** The message as it is, instead of Markdown. */
  readonly plain: boolean;
  /** The window comes up in its place; else the page moves it to the middle of the screen. */
  readonly centred: boolean;
}

export interface RenderedPage {
  readonly html: string;
  /** Where the links of the message lead, in order. */
  readonly links: readonly string[];
}

export function renderPage({ question, history, draft }: PopupSpec, look: PageLook): RenderedPage {
  const { waitsForResponse, timeout, title, client } = question;
  const message = renderMessage(question.message, look.plain);
  const form = fill(waitsForResponse ? pageSource.answerForm : pageSource.messageForm, {
    offered: draft === undefined ? 'hidden' : '',
    draft: escapeHtml(draft ?? ''),
  });
  const html = fill(pageSource.document, {
    theme: look.theme,
    title: escapeHtml(short(title, LONGEST_TITLE)),
    timeout: timeout === undefined ? '' : String(timeout),
    centred: String(look.centred),
    asker: askerLine(client, waitsForResponse),
    history: historyLog(history),
    message: message.html,
    form,
  });
  return { html, links: message.links };
}

/** So that no title can pass the window off as something of the system's. */
function askerLine(client: string | undefined, asks: boolean): string {
  const who = client === undefined ? '' : ` in <b>${escapeHtml(short(client, LONGEST_CLIENT))}</b>`;
  return `An AI agent${who} ${asks ? 'asks' : 'says'}`;
}

function historyLog(history: readonly Exchange[]): string {
  if (history.length === 0) return '';
  const lines = history.flatMap(({ message, reply }) => [
    line('Agent', message),
    ...(reply === undefined ? [] : [line('You', reply)]),
  ]);
  return `<section id="history" role="log" aria-label="Earlier in this conversation" tabindex="0">${lines.join('')}</section>`;
}

function line(who: string, text: string): string {
  return `<p dir="auto"><b>${who}:</b> ${escapeHtml(tame(text))}</p>`;
}

function short(text: string, most: number): string {
  const characters = Array.from(tame(text).replaceAll(/\s+/gu, ' '));
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}
