import type { Exchange } from './exchange.ts';
import type { LogEntry } from './log-entry.ts';

/** Pairs each thing the agent said with the answer that follows it. */
export function exchangesOf(entries: readonly LogEntry[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const { type, text, timestamp } of entries) {
    const last = exchanges.at(-1);
    if (type === 'tts') exchanges.push({ message: text, at: new Date(timestamp) });
    else if (last !== undefined && last.reply === undefined)
      exchanges[exchanges.length - 1] = { ...last, reply: text };
  }
  return exchanges;
}
