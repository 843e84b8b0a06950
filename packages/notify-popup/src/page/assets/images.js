const BYTES_PER_MB = 1024 * 1024;
const TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const THUMBNAIL_PX = 56;

/**
 * Images that are pasted or dropped go with the answer.
 *
 * @param onPress makes a handler for clicks that change the answer
 * @param say shows why an image was not added
 * @param onChange called when their number changes
 */
export function answerImages(onPress, say, onChange) {
  const list = document.getElementById('images');
  const images = [];
  const most = Number(document.body.dataset.images);
  const largest = Number(document.body.dataset.imageBytes);

  addEventListener('paste', ({ clipboardData }) => void add(clipboardData.files));
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
    if (file.size > largest) return `${name} is not added: it is larger than ${largest / BYTES_PER_MB} MB.`;
    const bitmap = TYPES.has(file.type) ? await createImageBitmap(file).catch(() => undefined) : undefined;
    if (bitmap === undefined) return `${name} is not added: it is no PNG, JPEG, GIF or WebP image.`;
    if (images.length === most) return `${name} is not added: an answer has at most ${most} images.`;
    images.push(file);
    list.append(item(file, name, bitmap));
    show();
    return '';
  }

  function item(file, name, bitmap) {
    const element = document.createElement('li');
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: '×' });
    button.setAttribute('aria-label', `Remove ${name}`);
    button.addEventListener(
      'click',
      onPress(() => {
        images.splice(images.indexOf(file), 1);
        element.remove();
        show();
      }),
    );
    element.append(thumbnail(bitmap, name), button);
    return element;
  }

  function show() {
    list.hidden = images.length === 0;
    onChange();
  }

  return {
    accepts: most > 0,
    get count() {
      return images.length;
    },
    /** @returns true if the server has all of them */
    async send() {
      for (const [place, file] of images.entries()) {
        const headers = { 'content-type': 'application/octet-stream' };
        const request = fetch(`/image/${place}`, { method: 'POST', headers, body: file });
        if (!(await request.catch(() => undefined))?.ok) return false;
      }
      return true;
    },
  };
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
