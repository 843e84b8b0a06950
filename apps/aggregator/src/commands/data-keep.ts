import { silentLog } from '@deskside/core';
import { defineCommand, integerField } from '@deskside/core/program';
import { openUserJournal } from '@deskside/desktop';

const MAX_DAYS = 3650;

const daysField = (of: string) =>
  integerField(0, MAX_DAYS)
    .optional()
    .meta({ placeholder: 'DAYS', description: `Days for which ${of} are kept, 0 to ${MAX_DAYS}.` });

/** How long the desk database keeps what happened. */
export const dataKeep = defineCommand({
  flags: {
    texts: daysField('questions, answers and texts of notifications'),
    records: daysField('records of who asked, reported and called what'),
  },
  details:
    'It holds for all programs of this user that record what happens, and deletes what is older at once. With --texts 0 no text is recorded. Files of notifications and conversations are others: see --no-history of the servers.',
  examples: ['deskside data keep', 'deskside data keep --texts 1 --records 30'],
  async run({ texts, records }, { print, note }) {
    await using journal = openUserJournal(silentLog);
    const kept = await journal.keep({
      ...(texts === undefined ? {} : { texts }),
      ...(records === undefined ? {} : { items: records }),
    });
    if (journal.problem !== undefined) note(journal.problem);
    print(`Texts: ${daysText(kept.texts)}. Records: ${daysText(kept.items)}.`);
  },
});

function daysText(days: number): string {
  return days === 0 ? 'not kept' : `kept for ${days} day${days === 1 ? '' : 's'}`;
}
