/** Where a card is in one frame. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly opacity: number;
}

/** In a page: every animation waits for the test, which moves its time. */
export function holdAnimations(): void {
  const { animate } = Element.prototype;
  Element.prototype.animate = function (...args) {
    const animation = animate.apply(this, args);
    animation.pause();
    return animation;
  };
}

/** In a page: where a card is in each frame of the running animations, which begin with the next frame, and then end. */
export async function readFrames(text: string) {
  const [stepMs, endMs] = [25, 300] as const;
  await new Promise(requestAnimationFrame);
  const root = document.querySelector('deskside-toaster')?.shadowRoot;
  const card = [...(root?.querySelectorAll('.card') ?? [])].find(
    (found) => found.querySelector('.message')?.textContent === text,
  );
  if (!root || card === undefined) throw new Error(`no card says ${text}`);
  const found: Frame[] = [];
  for (let time = 0; time <= endMs; time += stepMs) {
    for (const animation of root.getAnimations()) animation.currentTime = time;
    const { left, top } = card.getBoundingClientRect();
    found.push({ left, top, opacity: Number(getComputedStyle(card).opacity) });
  }
  for (const animation of root.getAnimations()) animation.finish();
  return found;
}

/** The largest part of the whole way in one frame: 1 is a jump. */
export function largestStep(values: readonly number[]): number {
  const way = Math.abs((values.at(-1) ?? 0) - (values[0] ?? 0));
  return Math.max(...values.slice(1).map((value, index) => Math.abs(value - (values[index] ?? 0)) / way));
}
