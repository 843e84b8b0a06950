import type { ContentBlock } from '@modelcontextprotocol/server';

export interface ReplyExtras {
  /** Further blocks, after the answer itself. */
  readonly more?: readonly ContentBlock[];
  /** The result's `_meta`, keys as `deskside/…`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** An answer with something beside it; a tool with nothing to add returns the bare answer. */
export class Reply<Value> {
  readonly value: Value;
  readonly extras: ReplyExtras;

  constructor(value: Value, extras: ReplyExtras) {
    this.value = value;
    this.extras = extras;
  }
}

export function reply<Value>(value: Value, extras: ReplyExtras): Reply<Value> {
  return new Reply(value, extras);
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}
