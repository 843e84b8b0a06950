/** One file of a package and the files of the package that it imports, relative to `src`. */
export interface Module {
  readonly path: string;
  readonly imports: readonly string[];
}

interface Step {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly evidence: string;
}

/**
 * In each folder of a package, the subfolders and the files must be layers. The linter finds circles of files.
 *
 * @returns the imports of the circles
 */
export function folderCircles(modules: readonly Module[]): string[] {
  const parents = new Set(modules.flatMap(({ path }) => ancestorsOf(path)));
  return [...parents].toSorted().flatMap((parent) => {
    const steps = modules.flatMap(({ path, imports }) =>
      imports.map((target) => ({
        from: childOf(parent, path),
        to: childOf(parent, target),
        evidence: `${path} imports ${target}`,
      })),
    );
    const between = steps.filter(({ from, to }) => from !== undefined && to !== undefined && from !== to);
    return inCircles(between).map(({ evidence }) => evidence);
  });
}

/** Leaves out steps that no step leads to, or none leads on from, until all that are left lead in circles. */
function inCircles(steps: readonly Step[]): readonly Step[] {
  const starts = new Set(steps.map(({ from }) => from));
  const ends = new Set(steps.map(({ to }) => to));
  const left = steps.filter(({ from, to }) => ends.has(from) && starts.has(to));
  return left.length === steps.length ? left : inCircles(left);
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
