import type { ItemKind, ItemOutcome, JournalFilter, JournalRecord } from '@deskside/desktop';
import { expect, test } from 'vitest';
import type { ConversationLog, LogEntry } from './conversation-log.ts';
import { openHistory } from './history.ts';

const FOLDER = '/home/ada/shop';

/** A journal and a log in which things happen one second after the other. */
function open() {
  const records: JournalRecord[] = [];
  const entries: LogEntry[] = [];
  let seconds = 0;
  const now = () => new Date(Date.UTC(2026, 2, 5, 10, 0, (seconds += 1)));
  const say = (type: LogEntry['type'], text: string, project_path = FOLDER) =>
    void entries.push({
      version: 3,
      timestamp: now().toISOString(),
      conversation_id: '1',
      type,
      text,
      project_path,
    });
  const log: ConversationLog = { entries: async () => entries, add: async () => undefined };
  const journal = {
    records: async ({ matches = () => true, project, limit }: JournalFilter = {}) =>
      records
        .filter((each) => (project ?? each.project) === each.project && matches(each))
        .slice(-(limit ?? 0)),
  };
  const history = openHistory(log, journal);
  return {
    say,
    ask(
      id: string,
      message: string,
      about: Partial<JournalRecord> = {},
      folder: string | undefined = FOLDER,
    ) {
      const kind: ItemKind = 'question';
      const asked = now().toISOString();
      records.push({
        id,
        kind,
        caller: 'Claude Code · shop',
        user: 'owner',
        project: 'shop',
        asked,
        content: { text: message, folder },
        ...about,
      });
    },
    end(id: string, outcome: ItemOutcome, reply?: string) {
      const index = records.findIndex((record) => record.id === id);
      const record = records[index];
      if (record === undefined) throw new Error(`${id} is not asked`);
      const content = { ...record.content, answer: reply };
      records[index] = { ...record, outcome, ended: now().toISOString(), content };
    },
    async read(scope: Partial<Parameters<typeof history.recent>[1]> = {}, limit = 5) {
      const of = { id: 'now', project: 'shop', folder: FOLDER, caller: 'Claude Code · shop', ...scope };
      return (await history.recent(limit, of)).map(({ message, reply, outcome }) => [
        message,
        reply ?? outcome,
      ]);
    },
  };
}

test('the history of a project has no question of another project, nor of a folder with the same name', async () => {
  const { ask, end, read } = open();
  ask('a', 'Keep the old route?');
  end('a', 'answered', 'Yes');
  ask('b', 'Delete the cluster?', { project: 'infra', caller: 'Codex · infra' }, '/home/ada/infra');
  end('b', 'answered', 'No');
  ask('c', 'Which shop?', {}, '/home/ben/shop');
  end('c', 'answered', 'Mine');
  ask('d', 'Ship the app?', { project: 'mobile' });
  end('d', 'answered', 'Later');
  expect(await read()).toStrictEqual([['Keep the old route?', 'Yes']]);
  expect(await read({ project: 'infra', folder: '/home/ada/infra' })).toStrictEqual([
    ['Delete the cluster?', 'No'],
  ]);
  expect(await read({ project: 'other', folder: '/home/ada/other' })).toStrictEqual([]);
});

test('agents without a project see only what they asked themselves', async () => {
  const { ask, end, read } = open();
  for (const caller of ['Cursor', 'Codex']) {
    ask(caller, `From ${caller}`, { caller, project: undefined });
    end(caller, 'answered', 'Yes');
  }
  expect(await read({ project: undefined, caller: 'Codex' })).toStrictEqual([['From Codex', 'Yes']]);
});

test('an answer stands under its own question, whatever was asked in between', async () => {
  const { ask, end, read } = open();
  ask('a', 'Delete the staging database?');
  ask('b', 'Keep the logs of last year?');
  end('a', 'answered', 'no, never');
  expect(await read({ id: 'b' })).toStrictEqual([['Delete the staging database?', 'no, never']]);
  end('b', 'answered', 'yes');
  expect(await read()).toStrictEqual([
    ['Delete the staging database?', 'no, never'],
    ['Keep the logs of last year?', 'yes'],
  ]);
});

test('a question is not in its own history, and what is still open is in none', async () => {
  const { ask, end, read } = open();
  ask('a', 'Which one?');
  ask('b', 'Still open?');
  end('a', 'timed out');
  expect(await read({ id: 'a' })).toStrictEqual([]);
  expect(await read()).toStrictEqual([['Which one?', 'timed out']]);
});

test('what got no reply has its outcome: also news that was replaced or not seen', async () => {
  const { ask, end, read } = open();
  const seen = '2026-03-05T10:00:00Z';
  const outcomes = [
    ['cancelled', 'question', undefined, 'cancelled'],
    ['dismissed', 'question', seen, 'dismissed'],
    ['closed', 'news', seen, undefined],
    ['closed', 'news', undefined, 'not seen'],
    ['replaced', 'news', undefined, 'replaced'],
    ['replaced', 'news', seen, undefined],
  ] as const;
  for (const [index, [outcome, kind, seenAt]] of outcomes.entries()) {
    ask(`${index}`, `${index}`, { kind, seen: seenAt });
    end(`${index}`, outcome);
  }
  expect(await read({}, 9)).toStrictEqual(outcomes.map(([, , , shown], index) => [`${index}`, shown]));
});

test("VoiceMode's own exchanges of this folder are part of the history, in the order of time", async () => {
  const { ask, end, say, read } = open();
  say('tts', 'Spoken question');
  ask('a', 'Typed question');
  say('stt', 'Spoken answer');
  end('a', 'answered', 'Typed answer');
  say('tts', 'Elsewhere', '/home/ada/other');
  expect(await read()).toStrictEqual([
    ['Spoken question', 'Spoken answer'],
    ['Typed question', 'Typed answer'],
  ]);
  expect(await read({ folder: undefined })).toStrictEqual([['Typed question', 'Typed answer']]);
  expect(await read({}, 1)).toStrictEqual([['Typed question', 'Typed answer']]);
});

test('texts other than questions and news are not in the history', async () => {
  const { ask, end, read } = open();
  for (const kind of ['call', 'notification', 'approval'] as const) {
    ask(kind, kind, { kind });
    end(kind, 'allowed');
  }
  expect(await read()).toStrictEqual([]);
});
