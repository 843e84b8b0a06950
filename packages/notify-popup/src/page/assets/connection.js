const REOPEN_DELAY_MS = 100;

const FOLLOWED_STATUS = 202;

let isServed = true;

/** To be called when the server is gone: another program may listen on its port then. */
export function forgetServer() {
  isServed = false;
}

/**
 * Sends a message to the server.
 *
 * @returns true if the server accepted it; 'followed' if the next question then appears in this window
 */
export async function post(message) {
  if (!isServed) return false;
  try {
    const response = await fetch('/message', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    return response.status === FOLLOWED_STATUS ? 'followed' : response.ok;
  } catch {
    return false;
  }
}

/** @returns undefined if its call does not wait any more */
export async function wholeValue(query) {
  const response = await fetch(`/value?${query}`);
  return response.ok ? response.text() : undefined;
}

/**
 * Calls the handler of each server-sent event, and `lost` if the connection stays broken for `timeoutMs`. Some browsers
 * use Escape to stop the event stream for good; it is then opened again.
 */
export function listen(address, handlers, timeoutMs) {
  let source;
  let lostTimer;
  let isClosed = false;
  const open = () => {
    if (isClosed) return;
    source = new EventSource(address);
    source.addEventListener('open', () => {
      clearTimeout(lostTimer);
      lostTimer = undefined;
    });
    // Fires again for each failed attempt to reconnect.
    source.addEventListener('error', ({ target }) => {
      lostTimer ??= setTimeout(() => handlers.lost(), timeoutMs);
      if (target.readyState === EventSource.CLOSED) setTimeout(open, REOPEN_DELAY_MS);
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
