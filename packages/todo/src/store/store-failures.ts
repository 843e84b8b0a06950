/** Others held the store's lock for longer than a call waits. Trying again later is safe. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';

  constructor(options?: ErrorOptions) {
    super('The task store is busy', options);
  }
}

/**
 * The store can't be opened or used. The message names paths: it is for the operator's log, not for a model.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
