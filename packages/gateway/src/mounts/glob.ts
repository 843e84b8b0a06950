/** Whether a name matches one of the patterns. */
export function matches(globs: readonly string[]): (name: string) => boolean {
  return (name) => globs.some((glob) => isMatch(glob, name));
}

/**
 * `*` stands for any characters, `?` for one. A regular expression could need years for a name that a server has chosen for
 * it; here the last `*` takes one character more after each mismatch.
 */
function isMatch(glob: string, name: string): boolean {
  let [at, next] = [0, 0];
  let star: { readonly next: number; at: number } | undefined;
  while (at < name.length) {
    if (glob[next] === '*') star = { next: (next += 1), at };
    else if (glob[next] === '?' || glob[next] === name[at]) [at, next] = [at + 1, next + 1];
    else if (star === undefined) return false;
    else [at, next] = [(star.at += 1), star.next];
  }
  while (glob[next] === '*') next += 1;
  return next === glob.length;
}
