import type { Source } from './sources.ts';

/** From one child of a folder to another: a subfolder or a file. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly evidence: string;
}

/**
 * In each folder of a package, the subfolders and the files must be layers. The linter finds circles of files.
 *
 * @returns the imports of the circles
 */
export function folderCircles(sources: readonly Source[]): string[] {
  const steps = sources.flatMap(({ path, imports }) =>
    imports.map((target): Step => {
      const [from, to] = [path.split('/'), target.split('/')];
      const depth = from.findIndex((part, index) => part !== to[index]) + 1;
      const child = (parts: readonly string[]) => parts.slice(0, depth).join('/');
      return { from: child(from), to: child(to), evidence: `${path} imports ${target}` };
    }),
  );
  return inCircles(steps).map(({ evidence }) => evidence);
}

/** Leaves out steps that no step leads to, or none leads on from, until all that are left lead in circles. */
function inCircles(steps: readonly Step[]): readonly Step[] {
  const starts = new Set(steps.map(({ from }) => from));
  const ends = new Set(steps.map(({ to }) => to));
  const left = steps.filter(({ from, to }) => ends.has(from) && starts.has(to));
  return left.length === steps.length ? left : inCircles(left);
}
