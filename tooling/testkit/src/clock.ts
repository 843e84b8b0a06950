/** A clock that stands until it is moved. */
export function fixedClock(at: string): { now: () => Date; advance: (ms: number) => void } {
  let time = new Date(at).getTime();
  return {
    now: () => new Date(time),
    advance: (ms) => {
      time += ms;
    },
  };
}
