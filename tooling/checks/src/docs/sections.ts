/** The text between `<!-- name -->` and `<!-- /name -->`, by name. */
export type Sections = Readonly<Record<string, () => string>>;

/**
 * Writes the sections that a page has.
 *
 * @throws Error if a section has no end
 */
export function replaceSections(page: string, sections: Sections): string {
  return Object.entries(sections).reduce((text, [name, write]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const start = text.indexOf(open);
    if (start === -1) return text;
    const end = text.indexOf(close, start);
    if (end === -1) throw new Error(`${open} has no ${close}`);
    return `${text.slice(0, start + open.length)}\n\n${write().trim()}\n\n${text.slice(end)}`;
  }, page);
}

/** A row of a Markdown table. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
