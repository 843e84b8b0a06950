import { type PersonsSession, personsSession } from '@deskside/notify-popup';
import { onTestFinished, vi } from 'vitest';

/** The login session of the person, until the end of the test. */
export function sessionIs(session: PersonsSession | undefined): void {
  const find = vi.spyOn(personsSession, 'find').mockResolvedValue(session);
  onTestFinished(() => find.mockRestore());
}
