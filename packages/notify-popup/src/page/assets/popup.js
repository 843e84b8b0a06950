import { approval } from './approval.js';
import { disableBrowserMenus } from './browser-menus.js';
import { forgetServer, listen, post } from './connection.js';
import { startCountdown } from './countdown.js';
import { offerDrafts } from './drafts.js';
import { answerFields } from './fields.js';
import { find } from './find.js';
import { guardInput } from './guard.js';
import { answerImages } from './images.js';
import { isControl, isTyping, isUndo } from './keys.js';
import { closeWhenRead } from './news.js';
import { notNow } from './not-now.js';
import { whenPainted } from './painted.js';
import { waitingQueue } from './queue.js';
import { atTheEnd, isTooLong, kept, lengthNotice } from './text-limit.js';
import { showTimes } from './time.js';
import { unseenParts } from './unseen.js';
import { pageVoice } from './voice.js';
import { fittedWindow } from './window-size.js';

/** What the person typed is sent to the server at most once in this time. */
const DRAFT_INTERVAL_MS = 250;
/** A window that closes is hidden before its page ends. */
const CLOSING_MS = 200;
const ACTIVITY_INTERVAL_MS = 1000;
/** The window closes itself after this time without the server. */
const SERVER_TIMEOUT_MS = 2000;
/** The next question appears in this window within this time, or the window closes. */
const NEXT_TIMEOUT_MS = 10_000;
/** News outlives its server by this time. */
const ALONE_S = 60;
const READY_ATTEMPTS = 5;

/** Identifies this load of the page. */
const load = crypto.randomUUID();
const guard = guardInput(
  (accepts) => void post({ type: 'acceptsKeys', accepts }),
  () => fields?.settle(),
);
const fitWindow = fittedWindow();
const fields = answerFields(
  document.body.dataset.typing === 'true',
  onPress,
  (text) => void end({ type: 'submit', text }),
);
const { announce, say, block, notice } = pageVoice(() => fields?.box.element, fitWindow);
const drafts = fields && offerDrafts(fields, guard, onPress, (id) => void post({ type: 'deleteDraft', id }));
const images = fields && answerImages(onPress, block, fitWindow);
const queue = waitingQueue(guard, onPress, (id) => void end({ type: 'show', id }, () => undefined));
const quiet =
  fields && notNow(guard, onPress, (period, isForAll) => void end({ type: 'quiet', period, isForAll }));
const decision = approval(guard, onPress, decide, fitWindow);
const unseen = unseenParts(guard, {
  onInView: (pieces) => void post({ type: 'inView', pieces }),
  onSeen(text) {
    say('');
    announce(text);
  },
  onChange: fitWindow,
});
const markSeen = fields === undefined ? closeWhenRead(() => void end({ type: 'read' })) : undefined;
/** What Enter and Escape do. */
const hints = [...find('keys').childNodes];
let callerGone = false;
let isEnding = false;
/** True after an Enter or a click that would send without an answer, until another key. */
let isEmptyConfirmed = false;
let draftTimer;
let lastActivityAt = -Infinity;
const timeout = Number(document.body.dataset.timeout);
let stopCountdown = timeout > 0 ? startCountdown(find('countdown'), timeout, announce) : () => undefined;

// The address contains a token that is no longer valid.
window.history.replaceState(null, '', '/');
document.body.dataset.started = 'true';
showTimes();
disableBrowserMenus((target) => fields?.isBox(target) === true, images?.accepts);
// A message without an answer takes no keys except those that scroll it.
if (fields === undefined) find('message').focus({ focusVisible: false });
else focusFirst();
fitWindow();

addEventListener('keydown', onKey);
document.addEventListener('visibilitychange', () => setTimeout(sendVisibility, CLOSING_MS));
find('form').addEventListener('submit', (event) => event.preventDefault());
find('submit')?.addEventListener('click', onPress(sendByClick));
find('cancel')?.addEventListener('click', onPress(cancel));
find('later')?.addEventListener('click', onPress(later));
find('undo')?.addEventListener('click', undo);
find('close')?.addEventListener('click', (event) => {
  if (!guard.blocksClick(event)) cancel();
});
addEventListener('mousedown', (event) => {
  // The keys after a click go to the box.
  if (fields !== undefined && event.target.closest('button')) event.preventDefault();
});
find('history')?.addEventListener('toggle', ({ target }) => {
  const log = target.querySelector('[role=log]');
  log.scrollTop = log.scrollHeight;
});
document.addEventListener('click', openLink);
document.addEventListener('auxclick', openLink);
fields?.onChange(() => {
  showMarked();
  fitWindow();
  say(lengthNotice(fields.text));
  isEmptyConfirmed = false;
  // After Cancel the window may close before the interval is over.
  if (isEnding) void sendDraft();
  else draftTimer ??= setTimeout(() => void sendDraft(), DRAFT_INTERVAL_MS);
});
for (const name of ['keydown', 'pointerdown', 'wheel'])
  addEventListener(name, sendActivity, { capture: true, passive: true });
addEventListener('focus', () => {
  isEmptyConfirmed = false;
  focusFirst();
});
addEventListener('pagehide', sendLeave);

const stream = listen(
  `/events?load=${load}`,
  {
    waiting({ waiting }) {
      announce(queue.update(waiting));
      if (waiting.length === 0) notice('givesWay', '');
    },
    seen: ({ isSeen }) => markSeen?.(isSeen),
    givesWay() {
      notice('givesWay', 'A question is waiting. It opens when you stop using this window.');
    },
    form({ isOpen }) {
      notice('form', isOpen ? 'Your agent also shows this question as a form. The first answer counts.' : '');
    },
    approval(calls) {
      decision?.update(calls);
      unseen?.update();
    },
    inView: ({ pieces }) => unseen?.drop(pieces),
    callerGone() {
      callerGone = true;
      stopCountdown();
      notice('callerGone', 'The agent stopped waiting. Your text stays available as unsent text.');
      if (fields === undefined) return;
      find('submit').disabled = true;
      for (const replies of document.querySelectorAll('.replies')) replies.toggleAttribute('inert', true);
      quiet.close();
      find('not-now').hidden = true;
      hints.length = 0;
      find('keys').replaceChildren();
      find('cancel').firstChild.data = 'Close ';
    },
    ping: () => post({ type: 'alive' }),
    go({ address }) {
      stream.close();
      location.replace(address);
    },
    close: () => window.close(),
    lost: fields === undefined ? stayAlone : () => window.close(),
  },
  SERVER_TIMEOUT_MS,
);

whenPainted(() => {
  guard.start();
  void sendReady();
});

function onKey(event) {
  const { key, target } = event;
  // Browsers without isComposing report keys of an input method as keyCode 229.
  if (event.isComposing || event.keyCode === 229) return;
  const isEnter = key === 'Enter' && !event.shiftKey;
  if (!isEnter) isEmptyConfirmed = false;
  if (isEnding && (key === 'Enter' || isUndo(event))) {
    event.preventDefault();
    if (key !== 'Enter' || target.id === 'undo') undo();
  } else if (key === 'Escape') {
    event.preventDefault();
    if (event.repeat || guard.blocksKey(event)) return;
    if (!queue.close() && !quiet?.close() && !decision?.close()) (decision ? later : cancel)(event);
  } else if (isEnter && fields?.isBox(target)) {
    event.preventDefault();
    if (!event.repeat) sendByKey(event);
  } else if ((key === 'Enter' || key === ' ') && isControl(target)) {
    const allows = key === 'Enter' && decision?.allows(target);
    if (event.repeat || guard.blocksSending(event) || allows) event.preventDefault();
  } else if (key === 'Tab') {
    // While the person types for another window, letters must stay in the box.
    if (guard.blocksKey(event)) event.preventDefault();
  } else if (fields !== undefined && isTyping(event, fields.isBox(target))) {
    // The browser then types into the box.
    if (!fields.isBox(target)) fields.box.element.focus();
  }
}

/** Enter in the box. A key that was meant for another window must not send anything. */
function sendByKey(event) {
  if (callerGone) return block('Not sent. The agent stopped waiting.');
  if (guard.blocksKey(event)) return block('Not sent. This window has just opened. Press Enter again.');
  if (decision !== undefined) {
    const denies = !guard.blocksSending(event) && !fields.isUntouched && !fields.box.isBlank;
    return denies ? decision.denyAll() : block('Enter never allows. Press a button.');
  }
  if (fields.goOn()) return;
  const isConfirmed = isEmptyConfirmed || (lacksNothing() && (!fields.isUntouched || images.count > 0));
  isEmptyConfirmed = true;
  if (guard.blocksSending(event) || !isConfirmed) return block(againText('Press Enter again'));
  send();
}

function sendByClick() {
  if (!isEmptyConfirmed && !lacksNothing()) {
    isEmptyConfirmed = true;
    return block(againText('Send again'));
  }
  send();
}

function send() {
  if (!callerGone) void end({ type: 'submit', text: fields.answer });
}

/** Of several questions each has an answer. */
function lacksNothing() {
  return fields.isSingle || fields.missing.length === 0;
}

function againText(again) {
  const { isSingle, missing, box } = fields;
  if (isSingle) return box.isBlank ? `${again} to send an empty reply.` : `${again} to send.`;
  if (missing.length === 0) return `${again} to send.`;
  return `No answer to question ${missing.join(', ')}. ${again} to send without.`;
}

/** @param call the one that it is about, if there are several */
function decide(answer, call) {
  const obstacle = answer.type === 'allow' ? unseen?.obstacle(call) : undefined;
  if (obstacle === undefined) void end(answer);
  else block(obstacle);
}

/** While a call waits the server waits with it, so that the person can undo it, but not until the timeout. */
function cancel() {
  const canUndo = fields !== undefined && !callerGone && !find('countdown').hasAttribute('data-soon');
  showCancelled(canUndo);
  void end({ type: 'cancel', canUndo });
}

function undo() {
  if (!isEnding) return;
  showCancelled(false);
  isEnding = false;
  fields?.box.element.focus();
  void post({ type: 'undo' });
}

function showCancelled(isCancelled) {
  document.body.toggleAttribute('data-cancelled', isCancelled);
  if (isCancelled) announce('The question is cancelled. Control Z to undo.');
}

/** Without another question this one would open again at once. An offer has no later. */
function later(event) {
  if (find('later').hidden) return decision.denyAll();
  if (!callerGone && !queue.isWaiting) return quiet.open(event);
  void end({ type: 'later' }, () => quiet.open(event));
}

/** What Enter sends if a digit in the box stands for a reply. */
function showMarked() {
  const { marked } = fields;
  const keys = find('keys');
  if (marked === undefined) keys.replaceChildren(...hints);
  else keys.textContent = `Enter sends: ${marked}`;
}

/** A review is read first: the keys that scroll must work. */
function focusFirst() {
  if (unseen?.isReview !== true) fields?.box.element.focus();
  else if (!fields.isBox(document.activeElement)) unseen.focus();
}

/** A handler for clicks that send. */
function onPress(action) {
  return (event) => {
    if (!guard.blocksSendingClick(event)) action(event);
    else block('This window has just become active. Click again.');
  };
}

/** @param onRefused another question ended at this moment; the server accepts every other answer */
async function end(answer, onRefused) {
  if (isEnding) return;
  const isSent = answer.type === 'submit' || answer.type === 'deny';
  if (isSent && fields !== undefined && isTooLong(fields.text)) return block(lengthNotice(fields.text));
  isEnding = true;
  // What is not sent stays as a draft.
  if (!isSent && fields !== undefined) await sendDraft();
  // It was taken back meanwhile.
  if (!isEnding) return;
  clearTimeout(draftTimer);
  draftTimer = undefined;
  if (answer.type === 'submit') answer.sentDrafts = drafts.sent();
  else if (answer.type === 'deny') answer.text = fields.text;
  const hasImages = answer.type !== 'submit' || (await images.send());
  if (answer.type === 'submit') answer.images = images.count;
  const isAccepted = hasImages && (await post(answer));
  // Nothing is lost if no server learns that news was closed.
  if (!isAccepted && fields !== undefined) {
    isEnding = false;
    showCancelled(false);
    if (onRefused !== undefined) return onRefused();
    const part = hasImages ? 'Your reply' : 'An image';
    say(`${part} could not be sent. Copy your text before you close the window.`);
  } else if (isAccepted === 'followed') {
    document.body.inert = true;
    announce('The next question follows.');
    setTimeout(() => window.close(), NEXT_TIMEOUT_MS);
  } else if (!answer.canUndo) {
    stream.close();
    window.close();
  }
}

function openLink(event) {
  const link = event.target.closest?.('a');
  if (!link) return;
  event.preventDefault();
  if (!guard.blocksClick(event) && event.button < 2)
    void post({ type: 'link', index: Number(link.dataset.link) });
}

/** Tries again: an Escape key can stop the request. */
async function sendReady() {
  for (let attempt = 0; attempt < READY_ATTEMPTS; attempt += 1) {
    if (await post({ type: 'ready' })) return sendVisibility();
  }
}

function sendDraft() {
  clearTimeout(draftTimer);
  draftTimer = undefined;
  return post({ type: 'draft', text: kept(fields.text) });
}

/** Tells the server that the person uses the window. Keys that were meant for another window do not count. */
function sendActivity(event) {
  const { timeStamp } = event;
  const isGuarded = event.type === 'keydown' ? guard.blocksKey(event) : guard.blocksClick(event);
  if (isGuarded || timeStamp - lastActivityAt < ACTIVITY_INTERVAL_MS) return;
  lastActivityAt = timeStamp;
  void post({ type: 'activity' });
}

/** The server of this news has ended. */
function stayAlone() {
  stream.close();
  forgetServer();
  stopCountdown();
  stopCountdown = startCountdown(find('countdown'), ALONE_S, announce, () => {
    if (!document.hasFocus() && !document.documentElement.matches(':hover')) window.close();
  });
}

function sendVisibility() {
  void post({ type: 'visibility', isHidden: document.hidden });
}

function sendLeave() {
  clearTimeout(draftTimer);
  const text = atTheEnd(fields?.text ?? '');
  navigator.sendBeacon(
    '/message',
    new Blob([JSON.stringify({ type: 'leave', load, text })], { type: 'application/json' }),
  );
}
