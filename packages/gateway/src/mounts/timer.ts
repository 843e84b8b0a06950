/** Starts a timer and returns the function that stops it. */
export type StartTimer = (ms: number, ring: () => void) => () => void;

/** A timer of this process. */
export const systemTimer: StartTimer = (ms, ring) => {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
};

/** A timer of this process that does not keep it alive. */
export const backgroundTimer: StartTimer = (ms, ring) => {
  const timer = setTimeout(ring, ms).unref();
  return () => clearTimeout(timer);
};
