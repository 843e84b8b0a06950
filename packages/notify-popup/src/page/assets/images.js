import { post } from './connection.js';
import { smallerImage } from './smaller-image.js';

const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const THUMBNAIL_PX = 56;

/**
 * Images that are pasted or dropped go with the answer, so small that hosts take them. The server gets each of them at once:
 * it shows them again when the window comes back.
 *
 * @param onPress makes a handler for clicks that change the answer
 * @param say shows why an image was not added
 * @param onChange called when their number changes
 */
export function answerImages(onPress, say, onChange) {
  const list = document.getElementById('images');
  /** By their place on the server: the file, its picture, and what the server was sent. */
  const images = new Map();
  let lastRequest = Promise.resolve();
  const most = Number(document.body.dataset.images);
  /** Of all of them together. */
  const maxBytes = Number(document.body.dataset.imageBytes);

  void restore(document.body.dataset.imagePlaces.split(' ').filter((place) => place !== ''));
  addEventListener('paste', (event) => {
    const { clipboardData } = event;
    if (clipboardData.files.length === 0 || isFormattedText(clipboardData)) return;
    // Else the browser reports an input, as if the person had typed.
    event.preventDefault();
    void add(clipboardData.files);
  });
  addEventListener('drop', ({ dataTransfer }) => void add(dataTransfer.files));

  async function add(files) {
    if (most === 0) return files.length > 0 && say('This program takes no images.');
    const problems = [];
    for (const file of files) problems.push(await addOne(file));
    const said = problems.filter((problem) => problem !== '').join(' ');
    if (said !== '') say(said);
  }

  /** @returns '' or the problem */
  async function addOne(file) {
    const name = file.name || 'The image';
    const bitmap = TYPES.has(file.type) ? await createImageBitmap(file).catch(() => undefined) : undefined;
    if (bitmap === undefined) return `${name} is not added: it is not a PNG, JPEG, GIF or WebP image.`;
    if (images.size === most) return `${name} is not added: an answer has at most ${most} images.`;
    const place = Array.from({ length: most }, (_, index) => index).find((index) => !images.has(index));
    show(place, name, { file, bitmap, sent: undefined, isSent: undefined });
    share();
    return '';
  }

  async function restore(places) {
    for (const place of places.map(Number)) {
      const response = await fetch(`/image/${place}`).catch(() => undefined);
      const file = response?.ok && (await response.blob());
      const bitmap = file && (await createImageBitmap(file).catch(() => undefined));
      if (bitmap)
        show(place, `image ${place + 1}`, { file, bitmap, sent: file, isSent: Promise.resolve(true) });
    }
  }

  /** Each image has the same part of the limit. */
  function share() {
    for (const [place, image] of images) {
      image.isSent = inOrder(async () => {
        // The name of a file can hide a type that the server refuses: then its picture is sent.
        for (const file of [image.file, undefined]) {
          const smaller = await smallerImage(file, image.bitmap, Math.floor(maxBytes / images.size));
          if (images.get(place) !== image || smaller === image.sent) return true;
          if (!(await upload(place, smaller))) continue;
          image.sent = smaller;
          return true;
        }
        return false;
      });
    }
  }

  /** One request after the other: the place of a removed image is used again. */
  function inOrder(request) {
    lastRequest = lastRequest.then(request).catch(() => false);
    return lastRequest;
  }

  function show(place, name, image) {
    images.set(place, image);
    list.append(item(place, name, image.bitmap));
    update();
  }

  function item(place, name, bitmap) {
    const element = document.createElement('li');
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: '×' });
    button.setAttribute('aria-label', `Remove ${name}`);
    button.addEventListener(
      'click',
      onPress(() => {
        images.delete(place);
        void inOrder(() => post({ type: 'deleteImage', place }));
        share();
        element.remove();
        update();
      }),
    );
    element.append(thumbnail(bitmap, name), button);
    return element;
  }

  function update() {
    list.hidden = images.size === 0;
    onChange();
  }

  return {
    accepts: most > 0,
    get count() {
      return images.size;
    },
    /** @returns true if the server has all of them */
    async send() {
      await lastRequest;
      return (await Promise.all([...images.values()].map(({ isSent }) => isSent))).every(Boolean);
    },
  };
}

/**
 * Spreadsheets add a picture of the cells. A picture that was copied from a web page has HTML, too, and some browsers add its
 * address or description as text, but its HTML has no text.
 */
function isFormattedText(data) {
  const { body } = new DOMParser().parseFromString(data.getData('text/html'), 'text/html');
  return body.textContent.trim() !== '' && data.getData('text/plain').trim() !== '';
}

async function upload(place, file) {
  const headers = { 'content-type': 'application/octet-stream' };
  const request = fetch(`/image/${place}`, { method: 'POST', headers, body: file });
  return (await request.catch(() => undefined))?.ok === true;
}

/** A canvas: the policy of the page allows no image from elsewhere. */
function thumbnail(bitmap, name) {
  const scale = Math.min(1, (THUMBNAIL_PX * devicePixelRatio) / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, bitmap.width * scale);
  canvas.height = Math.max(1, bitmap.height * scale);
  canvas.style.width = `${canvas.width / devicePixelRatio}px`;
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  canvas.role = 'img';
  canvas.ariaLabel = name;
  return canvas;
}
