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

/**
 * Calls the handler of each event that the server sends, and `lost` when it was silent for `patience`
 * milliseconds after the connection broke.
 */
export function listen(address, handlers, patience) {
  const source = new EventSource(address);
  let gone;
  source.addEventListener('open', () => {
    clearTimeout(gone);
    gone = undefined;
  });
  // Comes again with each attempt to connect anew.
  source.addEventListener('error', () => {
    gone ??= setTimeout(() => handlers.lost(), patience);
  });
  for (const [name, handler] of Object.entries(handlers)) {
    if (name !== 'lost') source.addEventListener(name, (event) => handler(JSON.parse(event.data)));
  }
  return { close: () => source.close() };
}
