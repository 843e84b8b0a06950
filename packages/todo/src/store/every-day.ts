const LOOK_INTERVAL_MS = 3_600_000;

const DAY_MS = 24 * 3_600_000;

/** Runs at once, and whenever a day has passed by the clock: timers do not count the hours in which a laptop sleeps. */
export function everyDay(now: () => Date, work: () => void): NodeJS.Timeout {
  let ranAtMs = now().getTime();
  work();
  const look = () => {
    const nowMs = now().getTime();
    // Also after a clock that was ahead was corrected.
    if (Math.abs(nowMs - ranAtMs) < DAY_MS) return;
    ranAtMs = nowMs;
    work();
  };
  return setInterval(look, LOOK_INTERVAL_MS).unref();
}
