const LARGEST_SIDE_PX = 2000;
const QUALITIES = [0.85, 0.65, 0.45];
/** A picture that is still too large becomes smaller by this factor. */
const STEP = 0.7;

/**
 * @param file what was pasted or dropped; undefined if only its picture can be sent
 * @param bitmap its picture
 * @returns the file as it is, if it is small enough, else a JPEG of at most so many bytes
 */
export async function smallerImage(file, bitmap, maxBytes) {
  const side = Math.max(bitmap.width, bitmap.height);
  if (file?.size <= maxBytes && side <= LARGEST_SIDE_PX) return file;
  for (let scale = Math.min(1, LARGEST_SIDE_PX / side); ; scale *= STEP) {
    const canvas = drawn(bitmap, scale);
    for (const quality of QUALITIES) {
      const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality });
      if (blob.size <= maxBytes) return blob;
    }
  }
}

function drawn(bitmap, scale) {
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(bitmap.width * scale)),
    Math.max(1, Math.round(bitmap.height * scale)),
  );
  const context = canvas.getContext('2d');
  // A JPEG is never transparent.
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}
