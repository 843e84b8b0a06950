import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { defineDoctor, type DoctorReport, thisProcess } from '@deskside/core/cli';
import { errnoOf } from '@deskside/core/errors';
import manifest from '../../package.json' with { type: 'json' };
import type { SinkPlan } from '../config/plan.ts';
import { logNotifyOptions } from '../options.ts';
import { loadPlan, unavailableReason } from './load-plan.ts';

type Problem = DoctorReport['problems'][number];

interface Finding {
  /** What the environment offers to the sink. */
  readonly fact: string;
  readonly problem?: Problem;
}

export const doctor = defineDoctor({
  options: logNotifyOptions,
  details:
    'The command looks for a terminal, a writable file and a desktop. It opens no connection: check --send tests services. The exit code is 1 if there is a problem.',
  examples: ['deskside-log-notify doctor'],
  async examine(settings) {
    const { path, plan, problems } = loadPlan(settings);
    const findings = plan.sinks.map((sink) => ({ name: sink.name, finding: examine(sink) }));
    const unusable: Problem = {
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

function examine(sink: SinkPlan): Finding {
  const { target } = sink;
  switch (target.kind) {
    case 'stderr':
      return {
        fact: thisProcess().stderr.isTTY ? 'a terminal' : 'not a terminal (a host may hide it)',
      };
    case 'file':
      return examineFile(target.path);
    case 'desktop': {
      const reason = unavailableReason(target);
      return { fact: reason === undefined ? 'available' : `not available: ${reason}` };
    }
    case 'webhook':
    case 'apprise':
    case 'ntfy':
    case 'slack':
    case 'discord':
    case 'telegram':
      return { fact: 'not tested (check --send tests it)' };
  }
}

/** Tests types and permissions only, and creates nothing. */
function examineFile(path: string): Finding {
  const existing = existingPart(path);
  if (existing === path) {
    const code = statSync(path).isDirectory() ? 'EISDIR' : accessProblem(path, constants.W_OK);
    if (code !== undefined) return unusableFile(path, 'not writable', `${path} cannot be written (${code}).`);
  }
  const folder = existing === path ? dirname(path) : existing;
  const code = statSync(folder).isDirectory()
    ? accessProblem(folder, constants.W_OK | constants.X_OK)
    : 'ENOTDIR';
  if (code === undefined) return { fact: `${path} (writable)` };
  const state = existing === path ? 'cannot be rotated' : 'cannot be created';
  return unusableFile(path, state, `The folder ${folder} cannot be written (${code}).`);
}

function unusableFile(path: string, state: string, problem: string): Finding {
  const remedy = 'Change the permissions, or choose another path with --file.';
  return { fact: `${path} (${state})`, problem: { problem, remedy } };
}

/** The path itself, or its nearest parent that exists. */
function existingPart(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingPart(dirname(path));
}

function accessProblem(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return errnoOf(error) ?? 'unknown error';
  }
}
