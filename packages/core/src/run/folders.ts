import envPaths from 'env-paths';

export interface Folders {
  readonly data: string;
  readonly config: string;
  /** What may be lost without loss: logs, histories. */
  readonly state: string;
}

/** Deskside's folders in the platform's own places for user data. */
export function folders(): Folders {
  const { data, config, log } = envPaths('deskside', { suffix: '' });
  return { data, config, state: log };
}
