/** What a stream does between two keys or presses. `join` has the calls that the page then shows. */
export type Change =
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'keyboard'; readonly given: boolean }
  | { readonly do: 'join'; readonly html: string };

/**
 * A script that gives a page a world in which only a stream changes anything: time with its timers, who has the keyboard, and
 * the server. Changes that are due before an event are made by the event itself, so that many events can be sent at once.
 *
 * `report(text)` sends a message to the test, which calls `stream.answer` for each.
 */
export const STREAM_WORLD = `
  let clock = 0;
  let timers = [];
  let sources = [];
  let hasKeyboard = false;
  let due = {};
  /** What was reported, in order. */
  const unanswered = [];
  const endOfTask = globalThis.setTimeout;

  performance.now = () => clock;
  Object.defineProperty(Event.prototype, 'timeStamp', { get: () => clock });
  globalThis.setTimeout = (work, ms = 0) => {
    timers.push({ at: clock + Math.max(0, ms), work });
    return timers.at(-1);
  };
  globalThis.clearTimeout = (timer) => void (timers = timers.filter((each) => each !== timer));
  globalThis.requestAnimationFrame = (work) => setTimeout(work);
  // Only a page that does not start, or has a time limit, needs it.
  globalThis.setInterval = () => 0;
  // Everything is in view. The gate for unseen parts has its own tests.
  globalThis.IntersectionObserver = class {
    constructor(look) {
      this.observe = (target) => look([{ target, isIntersecting: true, intersectionRatio: 1 }]);
    }
    unobserve() {}
  };
  window.close = () => undefined;
  document.hasFocus = () => hasKeyboard;

  const tell = (message) => {
    const answer = Promise.withResolvers();
    unanswered.push(answer);
    report(JSON.stringify({ ms: clock, message }));
    return answer.promise;
  };
  window.fetch = async (_, { body }) => ({ ok: await tell(JSON.parse(body)) });
  globalThis.EventSource = class extends EventTarget {
    constructor() {
      super();
      sources.push(this);
    }
    close() {
      sources = sources.filter((each) => each !== this);
    }
  };
  const receive = (name, data) => {
    for (const source of sources) source.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
  };

  const change = (each) => {
    if (each.do === 'wait') {
      const until = clock + each.ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        clearTimeout(next);
        clock = Math.max(clock, next.at);
        next.work();
      }
      clock = until;
    } else if (each.do === 'join') {
      void tell({ type: 'join' });
      receive('approval', { html: each.html });
    } else if (each.given !== hasKeyboard) {
      hasKeyboard = each.given;
      dispatchEvent(new Event(hasKeyboard ? 'focus' : 'blur'));
    }
  };
  const onEvent = ({ type, isTrusted }) => {
    if (!isTrusted) throw new Error('An event of a script: ' + type);
    for (const each of due[type]?.shift() ?? []) change(each);
  };

  globalThis.stream = {
    /** Shows another document. */
    open(html, waiting) {
      [clock, timers, sources, hasKeyboard, due] = [0, [], [], false, {}];
      document.open();
      for (const type of ['keydown', 'pointerup']) addEventListener(type, onEvent, { capture: true });
      document.write(html);
      document.close();
      return new Promise((done) => {
        // After the page's own script.
        addEventListener('load', () => {
          receive('waiting', { waiting });
          change({ do: 'wait', ms: 0 });
          done();
        });
      });
    },
    /**
     * Makes changes now, when everything that was sent has an answer, and the others before events of that type.
     *
     * @returns the time, what is in the box, and the width and middle of what the selector finds
     */
    async change(now, later, selector) {
      while (unanswered.length > 0) {
        await unanswered[0].promise;
        await new Promise((done) => endOfTask(done));
      }
      if (Object.values(due).some(({ length }) => length > 0)) throw new Error('An event is missing.');
      now.forEach(change);
      due = later;
      const { left, right, top, bottom } = document.querySelector(selector).getBoundingClientRect();
      const typed = document.getElementById('reply').value;
      return { ms: clock, typed, width: right - left, x: (left + right) / 2, y: (top + bottom) / 2 };
    },
    answer: (isAccepted) => unanswered.shift().resolve(isAccepted),
  };`;
