import { join } from 'node:path';
import { folders } from '@deskside/core';

export function tokenFile(): string {
  return join(folders().data, 'token');
}
