/** @returns whether the server took it */
export async function post(message) {
  try {
    const response = await fetch('/message', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    return response.ok;
  } catch {
    return false;
  }
}

/** Milliseconds until a stream that was stopped is opened again; the server waits somewhat longer. */
const REOPEN = 100;

/**
 * Calls the handler of each event that the server sends, and `lost` when it was silent for `patience`
 * milliseconds after the connection broke. Escape, where the browser takes it for itself, stops the stream for
 * good: then it is opened again.
 */
export function listen(address, handlers, patience) {
  let source;
  let gone;
  let isClosed = false;
  const open = () => {
    if (isClosed) return;
    source = new EventSource(address);
    source.addEventListener('open', () => {
      clearTimeout(gone);
      gone = undefined;
    });
    // Comes again with each attempt to connect anew.
    source.addEventListener('error', ({ target }) => {
      gone ??= setTimeout(() => handlers.lost(), patience);
      if (target.readyState === EventSource.CLOSED) setTimeout(open, REOPEN);
    });
    for (const [name, handler] of Object.entries(handlers)) {
      if (name !== 'lost') source.addEventListener(name, (event) => handler(JSON.parse(event.data)));
    }
  };
  open();
  return {
    close() {
      isClosed = true;
      source.close();
    },
  };
}
