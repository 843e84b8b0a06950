/** The limits of one server. Each is a setting of `serve` and `httpHandler`; a field that is left out has its default. */
export interface Limits {
  /**
   * Sessions of the 2025 protocol era in memory per principal. Above it the idlest is evicted: it loses its
   * subscriptions and log level, and continues with its next request. Default 64.
   */
  readonly sessionsPerPrincipal: number;
  /**
   * Calls of one session that run at the same time; calls without a session count for their principal. Further calls
   * wait for their turn. A call that waits for a person or is cancelled does not count. Default 32.
   */
  readonly callsPerSession: number;
  /** Bytes of a request body. Default 4 MiB. */
  readonly bodyBytes: number;
  /** Bytes of one JSON-RPC message over stdio. Default 16 MiB. */
  readonly lineBytes: number;
}

const MIB = 2 ** 20;

const DEFAULT_LIMITS: Limits = {
  sessionsPerPrincipal: 64,
  callsPerSession: 32,
  bodyBytes: 4 * MIB,
  lineBytes: 16 * MIB,
};

/** @throws RangeError for a limit that is not a whole number of at least 1 */
export function limitsOf(settings: Partial<Limits> = {}): Limits {
  const limits: Limits = { ...DEFAULT_LIMITS, ...settings };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new RangeError(`The limit ${name} must be a whole number of at least 1.`);
  }
  return limits;
}
