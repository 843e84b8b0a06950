const INTRODUCTION = `# Benchmarks

What the project claims about its speed and size, measured on the machine and day that each section names. Compare the
ratios, not the absolute numbers. \`pnpm build && pnpm bench\` writes this page; \`pnpm bench <name>\` measures only the
sections it names and keeps the others.`;

/** Sections by the name of their benchmark. */
export type Sections = ReadonlyMap<string, string>;

export function sectionsOf(document: string): Sections {
  const marked = /<!-- benchmark (\S+) -->\n([\s\S]*?)\n<!-- \/benchmark -->/g;
  return new Map([...document.matchAll(marked)].map(([, name = '', text = '']) => [name, text]));
}

/** @param names the benchmarks there are, in order; sections of others are left out */
export function documentOf(names: readonly string[], sections: Sections): string {
  const marked = names.flatMap((name) => {
    const text = sections.get(name);
    return text === undefined ? [] : [`<!-- benchmark ${name} -->\n${text}\n<!-- /benchmark -->`];
  });
  return `${[INTRODUCTION, ...marked].join('\n\n')}\n`;
}
