import type { WorkspacePackage } from '@deskside/repo';
import { handshake, handshakeFaults } from './handshake.ts';

export interface Trial {
  readonly aspect: string;
  readonly args: readonly string[];
  readonly input?: string;
  faults(ended: Ended): string[];
}

interface Ended {
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a bin must do on every Node that it supports. */
export function trialsOf({ manifest, server }: WorkspacePackage): Trial[] {
  const [entry] = server?.packages ?? [];
  return [
    {
      aspect: '--version',
      args: ['--version'],
      faults: ({ exitCode, stdout }) => [
        ...exits(0, exitCode),
        ...(stdout.includes(manifest.version ?? '') ? [] : [`does not print ${manifest.version}`]),
      ],
    },
    {
      aspect: '--help',
      args: ['--help'],
      faults: ({ exitCode, stdout }) => [
        ...exits(0, exitCode),
        ...(stdout.includes('--version') ? [] : ['does not explain --version']),
      ],
    },
    {
      aspect: 'handshake',
      args: entry?.packageArguments?.map(({ value }) => value) ?? [],
      input: handshake,
      faults: ({ exitCode, stdout }) => [...exits(0, exitCode), ...handshakeFaults(stdout)],
    },
  ];
}

/** What it must do on one that is too old. */
export const refusal: Trial = {
  aspect: 'refuses',
  args: ['--version'],
  faults: ({ exitCode, stdout, stderr }) => [
    ...exits(1, exitCode),
    ...(/^.*22\.18.*$/.test(stderr) && stdout === ''
      ? []
      : ['does not say in one line that it needs Node 22.18']),
  ],
};

function exits(wanted: number, exitCode: number | undefined): string[] {
  return exitCode === wanted ? [] : [`ends with ${exitCode} instead of ${wanted}`];
}
