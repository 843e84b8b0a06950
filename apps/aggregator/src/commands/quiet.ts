import { silentLog } from '@deskside/core';
import { defineCommand } from '@deskside/core/program';
import { openUserJournal, Quiet, QUIET_PERIODS_MS, type QuietPeriod } from '@deskside/desktop';
import { systemClock } from '@deskside/core/base';
import { localDateTime } from '@deskside/core/dates';
import { StartError } from '@deskside/core/errors';
import { escapeInvisible } from '@deskside/core/text';
import * as z from 'zod';

const PERIODS = [...Object.keys(QUIET_PERIODS_MS), 'off'].join(', ');

const FREE = 'Agents may interrupt. For an hour without popups: deskside quiet 1h';

/** "Not now". */
export const quiet = defineCommand({
  flags: {
    agent: z.string().min(1).optional().meta({
      placeholder: 'NAME',
      defaultText: 'all agents',
      description: 'Only this agent, as the window names it, for example "Claude Code · my-project".',
    }),
  },
  operands: '[PERIOD]',
  details: `PERIOD is one of ${PERIODS}. Without it the command shows what holds now. No popup opens, and desktop notifications except errors wait. until-back ends when you use this computer after five minutes without input.`,
  examples: ['deskside quiet 1h', 'deskside quiet until-back --agent "Codex · shop"', 'deskside quiet off'],
  async run({ agent }, { operands, print, note }) {
    const [period, ...rest] = operands;
    if (rest.length > 0 || (period !== undefined && period !== 'off' && !isPeriod(period)))
      throw new StartError(`Pass one of ${PERIODS}. Example: deskside quiet 1h`);
    await using journal = openUserJournal(silentLog);
    const state = new Quiet(journal, systemClock);
    if (period === 'off') state.end(agent);
    else if (period !== undefined) state.begin(period, agent);
    const lines = state.entries.map((entry) => {
      const end = `until ${entry.isUntilBack ? 'you are back, at most ' : ''}${localDateTime(new Date(entry.until))}`;
      return `${entry.agent ?? 'All agents'}: quiet ${end}`;
    });
    if (journal.problem !== undefined) note(journal.problem);
    for (const line of lines.length === 0 ? [FREE] : lines) print(escapeInvisible(line));
  },
});

function isPeriod(text: string): text is QuietPeriod {
  return Object.hasOwn(QUIET_PERIODS_MS, text);
}
