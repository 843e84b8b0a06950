/** As many as the style sheet has. */
const COLORS = 8;

/** The first letter of an agent, and a color of its own, as far as there are colors: the same in each project. */
export function avatarOf(caller: string): { readonly initial: string; readonly color: string } {
  const agent = caller.replace(/ · [^·]*$/, '');
  const [initial = ''] = /[\p{L}\p{N}]\p{M}*/u.exec(agent) ?? [];
  const sum = Array.from(agent, (character) => character.codePointAt(0) ?? 0).reduce((a, b) => a + b, 0);
  return { initial: initial.toUpperCase(), color: String(sum % COLORS) };
}
