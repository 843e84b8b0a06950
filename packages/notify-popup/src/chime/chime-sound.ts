const RATE = 16_000;
const SECONDS = 0.22;
const HEADER = 44;
/** Of the loudest that 16 bits can say. */
const LOUDNESS = 0.3;
/** Seconds of fading at either end, against clicks. */
const FADE = 0.03;

const TONES = { start: [800, 1000], end: [1000, 800] } as const;

/** Two short tones, up at the start and down at the end, as a WAV of 16 bits and one channel. */
export function chimeSound(when: keyof typeof TONES): Buffer {
  const tones = TONES[when].map(tone);
  const samples = Buffer.concat(tones);
  return Buffer.concat([header(samples.length), samples]);
}

function tone(hertz: number): Buffer {
  const count = Math.round((SECONDS * RATE) / 2);
  const samples = Buffer.alloc(2 * count);
  for (let index = 0; index < count; index += 1) {
    const seconds = index / RATE;
    const fade = Math.min(1, seconds / FADE, (count - index) / RATE / FADE);
    const level = Math.sin(2 * Math.PI * hertz * seconds) * fade * LOUDNESS;
    samples.writeInt16LE(Math.round(level * 32_767), 2 * index);
  }
  return samples;
}

/** RIFF, one `fmt` chunk (PCM), one `data` chunk. */
function header(dataLength: number): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(HEADER - 8 + dataLength, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(RATE, 24);
  bytes.writeUInt32LE(2 * RATE, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(dataLength, 40);
  return bytes;
}
