import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { escapeHtml } from './escape-html.ts';
import { tame } from './tame.ts';

export interface RenderedMessage {
  readonly html: string;
  /** Addresses of its links, in order. */
  readonly links: readonly string[];
}

/** HTML and images are shown as they are written. */
const withoutHtmlAndImages = { disable: { null: ['htmlFlow', 'htmlText', 'labelStartImage'] } };

const LINK = /<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs;

/** Markdown, or plain text, as HTML that can do nothing: links only of the web and mail, with their address in full. */
export function renderMessage(message: string, plain: boolean): RenderedMessage {
  const text = tame(message);
  if (plain) return { html: `<p class="plain">${escapeHtml(text)}</p>`, links: [] };
  const links: string[] = [];
  const html = micromark(text, {
    extensions: [gfmTable(), withoutHtmlAndImages],
    htmlExtensions: [gfmTableHtml()],
  }).replaceAll(LINK, (_, address: string, content: string) => {
    const target = webAddress(address);
    if (target === undefined) return `${content} <span class="address">(${address})</span>`;
    links.push(target);
    const shown = content === address ? '' : ` <span class="address">(${address})</span>`;
    return `<a href="${address}" rel="noreferrer">${content}</a>${shown}`;
  });
  return { html, links };
}

function webAddress(escaped: string): string | undefined {
  const address = escaped.replaceAll('&amp;', '&').replaceAll('&quot;', '"');
  return /^(?:https?:\/\/|mailto:)/i.test(address) && URL.canParse(address)
    ? new URL(address).href
    : undefined;
}
