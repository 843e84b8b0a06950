import { startCountdown } from './countdown.js';
import { guardKeys } from './guard.js';
import { listen, post } from './server.js';

/** Milliseconds of rest after which what was typed is told to the server. */
const DRAFT_REST = 250;
/** Milliseconds without the server after which the window closes itself. */
const SERVER_PATIENCE = 2000;

const find = (id) => document.getElementById(id);
const form = find('form');
const reply = find('reply');
const status = find('status');
const message = find('message');
const earlier = find('history');
const isGuarded = guardKeys();
/** Tells this page from the same one loaded again. */
const load = crypto.randomUUID();
let isUnheard = false;
let draftTimer;

// The address holds a token that was used up.
history.replaceState(null, '', '/');
document.body.dataset.started = 'true';
earlier?.scrollTo(0, earlier.scrollHeight);
if (document.body.dataset.centred === 'false') {
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
  // Ordinary browser windows would open.
  if ((event.ctrlKey || event.metaKey) && ['n', 't'].includes(event.key.toLowerCase()))
    event.preventDefault();
  // keyCode 229 is a key that an input method took, in browsers that don't say isComposing.
  if (event.isComposing || event.keyCode === 229) return;
  if (event.key === 'Escape') {
    event.preventDefault();
    if (!event.repeat && !isGuarded()) void end({ type: 'cancel' });
  }
  if (event.key === 'Enter' && event.target === reply && !event.shiftKey) {
    event.preventDefault();
    if (!event.repeat && !isUnheard) form.requestSubmit();
  }
});

reply?.addEventListener('input', () => {
  clearTimeout(draftTimer);
  draftTimer = setTimeout(() => void post({ type: 'draft', text: reply.value }), DRAFT_REST);
});

find('restore')?.addEventListener('click', () => {
  reply.value = find('offer').dataset.draft;
  find('offer').hidden = true;
  reply.focus();
  void post({ type: 'draft', text: reply.value });
});
find('discard')?.addEventListener('click', () => {
  find('offer').hidden = true;
  reply.focus();
  void post({ type: 'draft', text: reply.value });
});

message.addEventListener('click', (event) => {
  const link = event.target.closest('a');
  if (link === null) return;
  event.preventDefault();
  if (!isGuarded()) void post({ type: 'link', index: [...message.querySelectorAll('a')].indexOf(link) });
});

addEventListener('pagehide', () => leave());

const stream = listen(
  `/events?load=${load}`,
  {
    waiting({ count }) {
      status.textContent =
        count === 0
          ? ''
          : `${count} more ${count === 1 ? 'question waits' : 'questions wait'} after this one.`;
    },
    unheard() {
      isUnheard = true;
      status.textContent =
        'The agent has stopped waiting. Your text is kept and offered with its next question.';
      find('submit').disabled = true;
      find('countdown').hidden = true;
      find('keys').textContent = 'Esc closes';
      find('cancel').textContent = 'Close';
    },
    ping: () => post({ type: 'alive' }),
    close: () => window.close(),
    lost: () => window.close(),
  },
  SERVER_PATIENCE,
);

whenPainted(() => {
  void tellReady();
  const seconds = Number(document.body.dataset.timeout);
  if (seconds > 0) startCountdown(seconds, find('countdown'), status);
});

/** Again where it was stopped on its way. */
async function tellReady() {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    if (await post({ type: 'ready' })) return;
  }
}

async function end(answer) {
  clearTimeout(draftTimer);
  if (answer.type === 'submit' && isUnheard) return;
  if (isUnheard) await post({ type: 'draft', text: reply.value });
  const taken = await post(answer);
  if (!taken) {
    status.textContent = 'This could not be sent. Copy your text before you close the window.';
    return;
  }
  stream.close();
  window.close();
}

function leave() {
  clearTimeout(draftTimer);
  const text = reply?.value ?? '';
  navigator.sendBeacon(
    '/message',
    new Blob([JSON.stringify({ type: 'leave', load, text })], { type: 'application/json' }),
  );
}

/** After the second frame; a window that is hidden paints none. */
function whenPainted(work) {
  const once = () => {
    clearTimeout(timer);
    work();
    work = () => undefined;
  };
  const timer = setTimeout(once, 1000);
  requestAnimationFrame(() => requestAnimationFrame(once));
}
