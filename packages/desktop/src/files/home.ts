import { homedir } from 'node:os';
import { StartError } from '@deskside/core/errors';

/** @throws StartError for a user without a home folder */
export function homeFolder(): string {
  try {
    const home = homedir();
    // It would mean the working directory.
    if (home === '') throw new Error('HOME is empty');
    return home;
  } catch (error) {
    throw new StartError('This user has no home folder. Set HOME.', { cause: error });
  }
}
