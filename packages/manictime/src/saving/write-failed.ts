import { Problem } from '../problem.ts';

export function writeFailed(cause: unknown): Problem {
  return new Problem(
    {
      code: 'WRITE_FAILED',
      error: 'The file could not be written there.',
      hint: 'Pass an outputPath in another folder, or tell the person that this one does not let the server write.',
    },
    { cause },
  );
}
