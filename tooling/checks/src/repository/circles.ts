/** One file of a package and the files of the package that it imports, relative to `src`. */
export interface Module {
  readonly path: string;
  readonly imports: readonly string[];
}

/**
 * Circles among the folders of a package. In each folder, its subfolders and its files must be layers: a circle that
 * contains a subfolder is a fault. Each fault names the circle, and one import per step as evidence.
 */
export function folderCircles(modules: readonly Module[]): string[] {
  const parents = new Set(modules.flatMap(({ path }) => ancestorsOf(path)));
  return [...parents].toSorted().flatMap((parent) => circlesIn(parent, modules));
}

function circlesIn(parent: string, modules: readonly Module[]): string[] {
  const steps = stepsBetween(modules, (path) => childOf(parent, path));
  const folders = [...steps.keys()].filter((name) => !name.includes('.'));
  return circlesFrom(folders, steps, parent === '' ? '' : ` in ${parent}`);
}

/** By importing and imported name: one import as evidence. */
type Steps = ReadonlyMap<string, ReadonlyMap<string, string>>;

function stepsBetween(modules: readonly Module[], nameOf: (path: string) => string | undefined): Steps {
  const steps = new Map<string, Map<string, string>>();
  for (const { path, imports } of modules) {
    const from = nameOf(path);
    for (const target of imports) {
      const to = nameOf(target);
      if (from === undefined || to === undefined || from === to) continue;
      const targets = steps.get(from) ?? new Map<string, string>();
      if (!targets.has(to)) targets.set(to, `${path} imports ${target}`);
      steps.set(from, targets);
    }
  }
  return steps;
}

function circlesFrom(starts: readonly string[], steps: Steps, place = ''): string[] {
  const found = new Map<string, string>();
  for (const start of starts.toSorted()) {
    const circle = shortestCircle(start, steps);
    if (circle === undefined) continue;
    const evidence = circle.map((name, index) => {
      const next = circle[(index + 1) % circle.length] ?? start;
      return `  ${steps.get(name)?.get(next)}`;
    });
    const key = circle.toSorted().join(' ');
    if (!found.has(key))
      found.set(key, [`${[...circle, start].join(' -> ')}${place}`, ...evidence].join('\n'));
  }
  return [...found.values()];
}

/** Breadth first, so that the list is as short as possible. */
function shortestCircle(start: string, steps: Steps): string[] | undefined {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    for (const next of steps.get(path.at(-1) ?? start)?.keys() ?? []) {
      if (next === start) return path;
      if (seen.has(next)) continue;
      seen.add(next);
      paths.push([...path, next]);
    }
  }
  return undefined;
}

/** The folders that contain a file, from `''` on. */
function ancestorsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_part, index) => parts.slice(0, index + 1).join('/'))];
}

/** The direct child of a folder that contains a file, or is the file. */
function childOf(parent: string, path: string): string | undefined {
  if (parent !== '' && !path.startsWith(`${parent}/`)) return undefined;
  return path.slice(parent === '' ? 0 : parent.length + 1).split('/')[0];
}
