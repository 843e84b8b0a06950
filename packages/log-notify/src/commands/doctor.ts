import { existsSync } from 'node:fs';
import { defineDoctor, thisProcess } from '@deskside/core/program';
import manifest from '../../package.json' with { type: 'json' };
import { logNotifyOptions } from '../options.ts';
import type { Finding } from '../sinks/define-sink.ts';
import { loadPlan } from './load-plan.ts';

const NOT_TESTED: Finding = { fact: 'not tested (deskside-log-notify check --send tests it)' };

export const doctor = defineDoctor({
  options: logNotifyOptions,
  details:
    'The command looks for a terminal, a writable file and a desktop. It opens no connection: deskside-log-notify check --send tests services. The exit code is 1 if there is a problem.',
  examples: ['deskside-log-notify doctor'],
  async examine(settings) {
    const { path, plan, problems } = loadPlan(settings);
    const findings = await Promise.all(
      plan.sinks.map(async ({ name, definition, settings }) => ({
        name,
        finding: (await definition.local?.examine(settings, thisProcess())) ?? NOT_TESTED,
      })),
    );
    const unusable = {
      problem: `The configuration has problems (${problems.length}).`,
      remedy: 'Run deskside-log-notify check to see them.',
    };
    return {
      program: `deskside-log-notify ${manifest.version}`,
      facts: [
        ['configuration', existsSync(path) ? path : `${path} (does not exist, the defaults apply)`],
        ...findings.map(({ name, finding }) => [name, finding.fact] as const),
      ],
      problems: [
        ...(problems.length === 0 ? [] : [unusable]),
        ...findings.flatMap(({ finding }) => finding.problem ?? []),
      ],
    };
  },
});
