import { textOf, type Text, type ToolName } from '@deskside/core/errors';
import { type Mount, mountedName, nameInside } from './mounts/mount.ts';
import type { Selection } from './profiles/profile.ts';

/** Claude Code cuts a server's instructions at 2,048 characters, and some hosts count bytes. */
export const MAX_INSTRUCTIONS_CHARACTERS = 1900;

/** The instructions of the selected mounts as one text: how the ways to reach the person differ, then each mount. */
export type CombinedInstructions = (
  toolName: ToolName,
  selection: Pick<Selection, 'hasMount' | 'hasName'>,
) => string | undefined;

export function instructionsOf(mounts: readonly Mount[]): CombinedInstructions {
  const cache = new WeakMap<ToolName, { readonly key: string; readonly text: string | undefined }>();
  return (toolName, selection) => {
    // A mount that wakes has instructions from then on.
    const active = mounts.filter(
      (mount) =>
        selection.hasMount(mount) &&
        (mount.status?.().state ?? 'ready') === 'ready' &&
        canReach(mount, selection),
    );
    // The instructions of an external server change with its acceptance.
    const key = active
      .map(
        ({ id, isForeign, definition }) =>
          `${id} ${isForeign === true ? definition.instructions(toolName) : ''}`,
      )
      .join(' ');
    const cached = cache.get(toolName);
    if (cached?.key === key) return cached.text;
    const text = combined(active, toolName);
    cache.set(toolName, { key, text });
    return text;
  };
}

/** False if the caller's profile leaves out the tool by which the mount reaches the person. */
function canReach(mount: Mount, selection: Pick<Selection, 'hasName'>): boolean {
  let has = true;
  textOf(mount.reaches ?? '', (name) => {
    has &&= selection.hasName(mount, mountedName(mount)(name));
    return name;
  });
  return has;
}

function combined(active: readonly Mount[], outer: ToolName): string | undefined {
  const intro = introduction(active, outer);
  const parts = active.flatMap((mount) => {
    const text = textOfMount(mount, nameInside(mount, outer));
    return text === undefined ? [] : [{ head: `${mount.id}: `, text }];
  });
  if (intro === '' && parts.length === 0) return undefined;
  const separators = 2 * (parts.length + 1);
  let left = MAX_INSTRUCTIONS_CHARACTERS - intro.length - separators;
  const lines = new Map<string, string>();
  // Short texts first: what they leave of their share goes to the longer ones.
  for (const [index, { head, text }] of parts.toSorted((a, b) => a.text.length - b.text.length).entries()) {
    const share = Math.floor(left / (parts.length - index));
    const line = head + sentencesWithin(text, share - head.length);
    lines.set(head, line);
    left -= line.length;
  }
  return [intro, ...parts.map(({ head }) => lines.get(head) ?? '')]
    .filter((line) => line !== '')
    .join('\n\n');
}

/** Several ways to reach the person differ in ways that a model cannot guess from their names. */
function introduction(active: readonly Mount[], outer: ToolName): string {
  const ways = active.flatMap((mount) =>
    mount.reaches === undefined ? [] : [textOf(mount.reaches, nameInside(mount, outer))],
  );
  return ways.length < 2 ? '' : `Ways to reach the person: ${ways.join('; ')}.`;
}

function textOfMount({ brief, definition }: Mount, toolName: ToolName): string | undefined {
  const text: Text | undefined = brief ?? definition.instructions(toolName);
  return text === undefined ? undefined : textOf(text, toolName);
}

/** The first whole sentences of a text, or the beginning of its first sentence. */
function sentencesWithin(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = Math.max(
    ...[...text.slice(0, maxCharacters + 1).matchAll(/[.!?]["')]?(?=\s)/g)].map(
      ({ index, 0: mark }) => index + mark.length,
    ),
    0,
  );
  return end > 0 ? text.slice(0, end) : `${text.slice(0, Math.max(maxCharacters - 1, 0)).trimEnd()}…`;
}
