/** RGBA, row by row. */
export interface Bitmap {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Each pixel becomes the mean of the ones it covers. */
export function scaleDown(bitmap: Bitmap, size: { readonly width: number; readonly height: number }): Bitmap {
  const { width, height } = size;
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    const rows = covered(y, height, bitmap.height);
    for (let x = 0; x < width; x += 1) {
      writeMean(data, (y * width + x) * 4, bitmap, rows, covered(x, width, bitmap.width));
    }
  }
  return { data, width, height };
}

type Range = readonly [from: number, to: number];

function covered(index: number, size: number, original: number): Range {
  const from = Math.floor((index * original) / size);
  return [from, Math.max(from + 1, Math.floor(((index + 1) * original) / size))];
}

function writeMean(target: Buffer, at: number, { data, width }: Bitmap, rows: Range, columns: Range): void {
  const sums = [0, 0, 0, 0];
  for (let y = rows[0]; y < rows[1]; y += 1) {
    for (let x = columns[0]; x < columns[1]; x += 1) {
      for (let channel = 0; channel < 4; channel += 1) {
        sums[channel] = (sums[channel] ?? 0) + (data[(y * width + x) * 4 + channel] ?? 0);
      }
    }
  }
  const count = (rows[1] - rows[0]) * (columns[1] - columns[0]);
  for (const [channel, sum] of sums.entries()) target[at + channel] = Math.round(sum / count);
}
