/** What stops a start: one line that says what is wrong and how to mend it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
