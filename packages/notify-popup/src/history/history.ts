import type { Journal, JournalRecord } from '@deskside/desktop';
import type { ConversationLog, EntryOrigin, LogEntry } from './conversation-log.ts';

/** A message of an agent, and what became of it. */
export interface Exchange {
  readonly message: string;
  readonly reply?: string;
  readonly at: Date;
  /** How it ended, if the person did not reply: `cancelled`, `timed out`, `not seen`. */
  readonly outcome?: string;
}

/** Whose history it is. */
export interface HistoryScope extends EntryOrigin {
  /** As people read it. */
  readonly project: string | undefined;
  readonly caller: string;
}

/** Earlier messages and replies, for the next popup to show. */
export interface ConversationHistory {
  /** The latest exchanges of the project, oldest first, without the item itself. */
  recent(limit: number, scope: HistoryScope): Promise<readonly Exchange[]>;
  add: ConversationLog['add'];
}

/** Stores nothing. */
export const noHistory: ConversationHistory = { recent: async () => [], add: async () => undefined };

/**
 * A view of the journal, together with what VoiceMode said in the folder of the log.
 *
 * @param log undefined if there is no folder for it
 */
export function openHistory(
  log: ConversationLog | undefined,
  journal: Pick<Journal, 'records'>,
): ConversationHistory {
  return {
    add: async (...entry) => log?.add(...entry),
    async recent(limit, scope) {
      const { folder, project } = scope;
      const matches = (record: JournalRecord) => isOfProject(record, scope);
      const records = await journal.records({ project, hasContent: true, matches, limit });
      const entries = folder === undefined ? [] : ((await log?.entries()) ?? []);
      const exchanges = [
        ...records.flatMap(exchangeOf),
        ...spoken(entries.filter(({ project_path }) => project_path === folder)),
      ];
      return exchanges.toSorted((one, other) => one.at.getTime() - other.at.getTime()).slice(-limit);
    },
  };
}

/** Folders with the same name are different projects. */
function isOfProject(
  { id, kind, project, caller, outcome, content }: JournalRecord,
  scope: HistoryScope,
): boolean {
  if ((kind !== 'question' && kind !== 'news') || id === scope.id || outcome === undefined) return false;
  const { folder = scope.folder } = content ?? {};
  if (scope.folder !== undefined && folder !== scope.folder) return false;
  return project === scope.project && (project !== undefined || caller === scope.caller);
}

function exchangeOf({ kind, asked, outcome, seen, content = {} }: JournalRecord): Exchange[] {
  const { text: message, answer: reply } = content;
  const newsEnd = outcome === 'closed' ? 'not seen' : outcome;
  const end = kind === 'news' ? (seen === undefined ? newsEnd : undefined) : outcome;
  if (message === undefined) return [];
  return [
    {
      message,
      at: new Date(asked),
      ...(reply === undefined ? {} : { reply }),
      ...(reply !== undefined || end === undefined ? {} : { outcome: end }),
    },
  ];
}

/** The exchanges of VoiceMode, which speaks and listens in turns: a reply belongs to the message before it. */
function spoken(entries: readonly LogEntry[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const { type, text, timestamp, metadata } of entries) {
    if (metadata?.item_id !== undefined) continue;
    const last = exchanges.at(-1);
    if (type === 'tts') exchanges.push({ message: text, at: new Date(timestamp) });
    else if (last !== undefined && last.reply === undefined)
      exchanges[exchanges.length - 1] = { ...last, reply: text };
  }
  return exchanges;
}
