import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';

/** Patterns of all pages of this repository. */
export const PAGES = [
  '*.md',
  '.github/**/*.md',
  'docs/**/*.md',
  '{packages,apps}/*/*.md',
  'packages/core/docs/*.md',
];

/** A link or picture of a page. */
interface Link {
  readonly url: string;
  /** Offsets of the URL in the page. */
  readonly start: number;
  readonly end: number;
  readonly isPicture: boolean;
}

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number];

/** The links, pictures and definitions of a Markdown page, also those in its HTML, in the order of the page. */
function linksOf(page: string): readonly Link[] {
  const links: Link[] = [];
  const visit = (node: Node): void => {
    const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      const at = page.lastIndexOf(node.url, end);
      // An automatic link such as <https://…> and an escaped URL have other texts.
      if (at >= start)
        links.push({ url: node.url, start: at, end: at + node.url.length, isPicture: node.type === 'image' });
    }
    if (node.type === 'html') {
      for (const { 1: attribute, 2: url = '', index } of node.value.matchAll(
        /(src|srcset|href)="([^"]*)"/g,
      )) {
        const at = start + index + (attribute ?? '').length + 2;
        links.push({ url, start: at, end: at + url.length, isPicture: attribute !== 'href' });
      }
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(page));
  return links.toSorted((a, b) => a.start - b.start);
}

/** Links to other sites and to mail are not checked and not changed. */
function isRelative(url: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(url);
}

/**
 * The links that lead nowhere: to a file that does not exist, to a heading that does not exist, or out of the repository.
 *
 * @param pages paths from the root
 * @returns for example `docs/todo.md: #use`
 */
export function brokenLinks(pages: readonly string[], root: string): readonly string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const isBroken = (page: string, url: string) => {
    const [path = '', anchor] = url.split('#');
    const target = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path));
    if (relative(root, target).startsWith('..') || !existsSync(target)) return true;
    if (anchor === undefined) return false;
    if (statSync(target).isDirectory()) return true;
    const known = anchors.get(target) ?? anchorsOf(readFileSync(target, 'utf8'));
    anchors.set(target, known);
    return !known.has(anchor);
  };
  return pages.flatMap((page) =>
    linksOf(readFileSync(join(root, page), 'utf8'))
      .filter(({ url }) => isRelative(url) && isBroken(page, url))
      .map(({ url }) => `${page}: ${url}`),
  );
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const node of fromMarkdown(page).children) {
    if (node.type !== 'heading') continue;
    const slug = textOf(node)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function textOf(node: Node): string {
  if ('value' in node) return node.type === 'html' ? '' : node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

/**
 * A page with absolute links: outside of the repository relative ones lead nowhere.
 *
 * @param page the text of the page
 * @param homepage of the repository, for example `https://github.com/acme/desk`
 * @param directory of the page in it, for example `packages/todo`
 * @param tag of the release, so that a page of an old version links to the files of that version
 */
export function withAbsoluteLinks(
  page: string,
  { homepage, directory, tag, root }: Readonly<Record<'homepage' | 'directory' | 'tag' | 'root', string>>,
): string {
  let text = page;
  for (const { url, start, end, isPicture } of linksOf(page).toReversed()) {
    if (!isRelative(url) || url.startsWith('#')) continue;
    const [path = '', anchor] = url.split('#');
    const target = join(directory, path);
    const isFolder = statSync(join(root, target)).isDirectory();
    const kind = isPicture ? 'raw' : isFolder ? 'tree' : 'blob';
    const absolute = `${homepage}/${kind}/${tag}/${target}${anchor === undefined ? '' : `#${anchor}`}`;
    text = text.slice(0, start) + absolute + text.slice(end);
  }
  return text;
}
