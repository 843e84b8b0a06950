import { expect, onTestFinished, test, vi } from 'vitest';

const SCREEN = { availLeft: 0, availTop: 0, availWidth: 1600, availHeight: 1000 };
/** 77 % of it. */
const HIGHEST = 770;
/** After this time a browser has taken over a size. */
const LATE_MS = 900;
const TILED_MS = 300;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Fake {
  /** Of the page in this window. */
  readonly zoom: number;
  /** In pixels of the screen: what the window manager adds. */
  readonly frame: Size;
  /** Of the content, in pixels of the page. */
  readonly needed: number;
  /** True if the browser gives the sizes outside in pixels of the page, too. */
  readonly zoomsOutside?: boolean;
  /** The width of a tile in which the window is at first, whatever its page asks for. */
  readonly tile?: number;
  /** What the browser says, if not the size inside, so many milliseconds after the last change of it. */
  readonly says?: (inner: Size, ms: number) => Size;
  /** What the person does when the window has its size. */
  readonly afterwards?: { readonly zoom: number } | { readonly outer: Size };
}

/** Each that the page has set. */
let limits: number[] = [];
let needed = 0;
/** The module takes it when it is loaded. */
const body = {
  dataset: { centered: 'true', width: '' },
  style: { setProperty: (_: string, value: string) => void limits.push(Number.parseInt(value, 10)) },
  getBoundingClientRect: () => ({ height: needed }),
  removeAttribute: () => undefined,
  toggleAttribute: () => undefined,
};

function place(left: number, top: number): void {
  vi.stubGlobal('screenX', left);
  vi.stubGlobal('screenY', top);
}

/** A window of 500 × 300 in the center that gets each size and place that its page asks for. */
async function fitted({
  frame,
  zoomsOutside = false,
  says = (inner) => inner,
  afterwards,
  ...content
}: Fake) {
  const { tile } = content;
  let { zoom } = content;
  body.dataset.width = zoomsOutside ? '' : '500';
  ({ needed } = content);
  limits = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const page = new EventTarget();
  const outside = zoomsOutside ? zoom : 1;
  const sizes = { outerWidth: 0, outerHeight: 0, innerWidth: 0, innerHeight: 0 };
  const asked: Size[] = [];
  let late: ReturnType<typeof setTimeout> | undefined;
  const say = (inner: Size, ms: number) => {
    const said = says(inner, ms);
    Object.assign(sizes, { innerWidth: said.width, innerHeight: said.height });
    for (const [name, value] of Object.entries(sizes)) vi.stubGlobal(name, value);
    page.dispatchEvent(new Event('resize'));
  };
  const apply = (width: number, height: number) => {
    sizes.outerWidth = Math.round(width);
    sizes.outerHeight = Math.round(height);
    const inner = {
      width: Math.round((width * outside - frame.width) / zoom),
      height: Math.round((height * outside - frame.height) / zoom),
    };
    say(inner, 0);
    clearTimeout(late);
    late = setTimeout(say, LATE_MS, inner, LATE_MS);
  };
  vi.stubGlobal('document', { body });
  vi.stubGlobal('screen', {
    ...SCREEN,
    availWidth: SCREEN.availWidth / outside,
    availHeight: SCREEN.availHeight / outside,
  });
  place((SCREEN.availWidth - 500) / 2 / outside, (SCREEN.availHeight - 300) / 2 / outside);
  vi.stubGlobal('moveTo', (left: number, top: number) => setTimeout(place, 16, left, top));
  vi.stubGlobal('resizeTo', (width: number, height: number) => {
    asked.push({ width, height });
    if (tile === undefined || performance.now() > TILED_MS) setTimeout(apply, 16, width, height);
  });
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  apply((tile ?? 500) / outside, 300 / outside);
  // The page has no types.
  const path = './assets/window-size.js';
  const { fittedWindow } = await import(path);
  fittedWindow()();
  if (tile !== undefined) setTimeout(apply, TILED_MS, 500, 300);
  await vi.advanceTimersByTimeAsync(20_000);
  if (afterwards !== undefined) {
    if ('zoom' in afterwards) ({ zoom } = afterwards);
    const { width, height } =
      'outer' in afterwards ? afterwards.outer : { width: sizes.outerWidth, height: sizes.outerHeight };
    apply(width, height);
    await vi.advanceTimersByTimeAsync(20_000);
  }
  return {
    asked,
    zoom,
    inner: sizes.innerHeight,
    outer: sizes.outerHeight * outside,
    width: sizes.outerWidth * outside,
  };
}

const FRAMES = [
  { width: 0, height: 0 },
  { width: 0, height: 30 },
  { width: 12, height: 40 },
] as const;

const FRAME = FRAMES[1];

const FITTED: readonly Fake[] = [
  ...FRAMES.flatMap((frame) =>
    [0.5, 0.9, 1, 1.1, 1.25, 1.5, 2, 3].map((zoom) => ({ frame, zoom, needed: 200 })),
  ),
  { frame: FRAME, zoom: 1.5, zoomsOutside: true, needed: 200 },
  { frame: FRAME, zoom: 1, needed: 200, tile: 796 },
  ...[
    [1, 1.5],
    [1.5, 1],
    [1, 0.5],
    [1.25, 1.1],
  ].map(([zoom = 1, next = 1]) => ({ frame: FRAME, zoom, needed: 200, afterwards: { zoom: next } })),
];

test.each(FITTED)('a window is as high as its content: %j', async (fake) => {
  const { inner, outer, width, zoom } = await fitted(fake);
  expect(inner).toBeGreaterThanOrEqual(200);
  expect(inner).toBeLessThanOrEqual(204);
  expect(Math.abs(outer - fake.frame.height - 200 * zoom)).toBeLessThanOrEqual(4 * zoom);
  expect(Math.round(width)).toBe(500);
});

test.each([0.5, 1, 1.5, 2])(
  'at a zoom of %d a long page stays within the limit of the screen',
  async (zoom) => {
    const { outer } = await fitted({ zoom, frame: FRAME, needed: 3000 });
    expect(Math.abs(outer - 30 - HIGHEST)).toBeLessThanOrEqual(4 * zoom);
    expect(Math.abs((limits.at(-1) ?? 0) * zoom - HIGHEST)).toBeLessThanOrEqual(2 * zoom);
  },
);

test.each([
  ['developer tools beside the page', (inner: Size) => ({ ...inner, width: inner.width - 300 })],
  ['an emulated screen', () => ({ width: 375, height: 667 })],
  ['no size inside yet', (inner: Size, ms: number) => (ms < LATE_MS ? { width: 0, height: 0 } : inner)],
])('%s is not a zoom', async (_, says) => {
  const { asked } = await fitted({ zoom: 1, frame: FRAME, needed: 200, says });
  expect(asked).not.toHaveLength(0);
  for (const { width, height } of asked) {
    expect(width).toBe(500);
    // With and without the frame.
    expect([200, 230]).toContain(height);
  }
  expect(new Set(limits)).toStrictEqual(new Set([HIGHEST]));
});

test.each([1.25, 2])('at a zoom of %d a size inside that is late changes no request', async (zoom) => {
  let known: Size | undefined;
  const says = (inner: Size, ms: number) => {
    if (ms === LATE_MS) known = inner;
    return (known ??= inner);
  };
  const { asked, inner } = await fitted({ zoom, frame: FRAME, needed: 350, says });
  expect(asked).not.toHaveLength(0);
  // With and without the frame.
  for (const { height } of asked) expect(Math.abs(height - 15 - 350 * zoom)).toBeLessThanOrEqual(15 + zoom);
  expect(inner).toBeGreaterThanOrEqual(350);
  expect(inner).toBeLessThanOrEqual(354);
});

test.each([
  { width: 500, height: 600 },
  { width: 502, height: 450 },
  { width: 900, height: 450 },
])('a window of a zoomed page stays as the person makes it: $width × $height', async (outer) => {
  const frame = { width: 12, height: 40 };
  const after = await fitted({ zoom: 1.5, frame, needed: 200, afterwards: { outer } });
  expect([after.width, after.outer]).toStrictEqual([outer.width, outer.height]);
});
