/** Sinks that try again later keep no process alive; a command waits for them. */
export async function keepAlive<T>(work: () => Promise<T>): Promise<T> {
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await work();
  } finally {
    clearInterval(alive);
  }
}
