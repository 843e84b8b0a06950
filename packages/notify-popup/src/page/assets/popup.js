import { listen, post } from './connection.js';

/** What the person typed is sent to the server after this pause. */
const DRAFT_DELAY_MS = 250;
/** The window closes itself after this time without the server. */
const SERVER_TIMEOUT_MS = 2000;
/** Keys and clicks count only after the window had the focus, and the person did not type, for this time. */
const GUARD_MS = 600;
const READY_ATTEMPTS = 5;
/** Screen readers announce the countdown at these values. */
const ANNOUNCED_SECONDS = new Set([30, 10]);

const find = (id) => document.getElementById(id);
const form = find('form');
const reply = find('reply');
const status = find('status');
const message = find('message');
const history = find('history');
const isGuarded = guardInput();
/** Identifies this load of the page. */
const load = crypto.randomUUID();
let callerGone = false;
let draftTimer;

// The address contains a token that is no longer valid.
window.history.replaceState(null, '', '/');
document.body.dataset.started = 'true';
history?.scrollTo(0, history.scrollHeight);
if (document.body.dataset.centered === 'false') {
  moveTo(
    (screen.availWidth - outerWidth) / 2 + (screen.availLeft ?? 0),
    (screen.availHeight - outerHeight) / 2,
  );
}
(reply ?? find('close')).focus();

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (isGuarded()) return;
  void end(reply === null ? { type: 'cancel' } : { type: 'submit', text: reply.value });
});
find('cancel')?.addEventListener('click', () => {
  if (!isGuarded()) void end({ type: 'cancel' });
});

addEventListener('keydown', (event) => {
  // These shortcuts would open ordinary browser windows.
  if ((event.ctrlKey || event.metaKey) && ['n', 't'].includes(event.key.toLowerCase()))
    event.preventDefault();
  // Browsers without isComposing report keys of an input method as keyCode 229.
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === 'Escape') {
    event.preventDefault();
    if (!event.repeat && !isGuarded()) void end({ type: 'cancel' });
  }
  if (event.key === 'Enter' && event.target === reply && !event.shiftKey) {
    event.preventDefault();
    if (!event.repeat && !callerGone) form.requestSubmit();
  }
});

reply?.addEventListener('input', () => {
  clearTimeout(draftTimer);
  draftTimer = setTimeout(sendDraft, DRAFT_DELAY_MS);
});

find('restore')?.addEventListener('click', () => {
  reply.value = find('offer').dataset.draft;
  closeOffer();
});
find('discard')?.addEventListener('click', closeOffer);

message.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (link === null) return;
  event.preventDefault();
  if (!isGuarded()) void post({ type: 'link', index: [...message.querySelectorAll('a')].indexOf(link) });
});

addEventListener('pagehide', sendLeave);

const stream = listen(
  `/events?load=${load}`,
  {
    waiting({ waiting }) {
      const count = waiting.length;
      status.textContent =
        count === 0
          ? ''
          : `${count} more ${count === 1 ? 'question waits' : 'questions wait'} after this one.`;
    },
    callerGone() {
      callerGone = true;
      status.textContent =
        'The agent stopped waiting. Your text is saved, and its next question offers it to you.';
      find('submit').disabled = true;
      find('countdown').hidden = true;
      find('keys').textContent = 'Esc closes';
      find('cancel').textContent = 'Close';
    },
    ping: () => post({ type: 'alive' }),
    close: () => window.close(),
    lost: () => window.close(),
  },
  SERVER_TIMEOUT_MS,
);

whenPainted(() => {
  void sendReady();
  const seconds = Number(document.body.dataset.timeout);
  if (seconds > 0) startCountdown(seconds);
});

/** Tries again: an Escape key can stop the request. */
async function sendReady() {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt += 1) {
    if (await post({ type: 'ready' })) return;
  }
}

function sendDraft() {
  void post({ type: 'draft', text: reply.value });
}

function sendLeave() {
  clearTimeout(draftTimer);
  const text = reply?.value ?? '';
  navigator.sendBeacon(
    '/message',
    new Blob([JSON.stringify({ type: 'leave', load, text })], { type: 'application/json' }),
  );
}

function closeOffer() {
  find('offer').hidden = true;
  reply.focus();
  sendDraft();
}

async function end(answer) {
  clearTimeout(draftTimer);
  if (answer.type === 'submit' && callerGone) return;
  if (callerGone) await post({ type: 'draft', text: reply.value });
  const accepted = await post(answer);
  if (!accepted) {
    status.textContent = 'Your answer could not be sent. Copy your text before you close the window.';
    return;
  }
  stream.close();
  window.close();
}

/** Shows the seconds left. The server's timer decides. */
function startCountdown(seconds) {
  const element = find('countdown');
  const end = performance.now() + seconds * 1000;
  element.hidden = false;
  const show = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    element.textContent = left < 60 ? `${left} s` : `${Math.floor(left / 60)} min ${left % 60} s`;
    element.toggleAttribute('data-soon', left <= 10);
    if (ANNOUNCED_SECONDS.has(left) && left < seconds) status.textContent = `${left} seconds left`;
  };
  show();
  setInterval(show, 1000);
}

/**
 * Detects keys and clicks that were meant for another window: those shortly after the window got the focus, and those of
 * a person who has typed without a pause since then. The time of the event counts, not the time when a busy machine
 * delivers it.
 *
 * @returns a function that is true if the last key or click must be ignored
 */
function guardInput() {
  let guardedUntil = performance.now() + GUARD_MS;
  let pressedAt = 0;
  addEventListener('focus', ({ timeStamp }) => {
    guardedUntil = timeStamp + GUARD_MS;
  });
  addEventListener(
    'keydown',
    ({ key, timeStamp }) => {
      pressedAt = timeStamp;
      const isTyping = key.length === 1 || key === 'Backspace';
      if (isTyping && pressedAt < guardedUntil) guardedUntil = pressedAt + GUARD_MS;
    },
    { capture: true },
  );
  addEventListener(
    'click',
    ({ timeStamp }) => {
      pressedAt = timeStamp;
    },
    { capture: true },
  );
  return () => pressedAt < guardedUntil;
}

/** After the second frame, or after a second: a hidden window paints no frame. */
function whenPainted(work) {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    work();
  };
  const timer = setTimeout(once, 1000);
  requestAnimationFrame(() => requestAnimationFrame(once));
}
