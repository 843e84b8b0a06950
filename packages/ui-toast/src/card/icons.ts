import type { Severity } from '../notification/notification.ts';

type Icon = Severity | 'close';

const SVG = 'http://www.w3.org/2000/svg';
const CIRCLE = 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18Z';

/** Outlines on a grid of 24, drawn with a round pen of 2. */
const OUTLINES: Readonly<Record<Icon, string>> = {
  info: `${CIRCLE}M12 11v5M12 8v.01`,
  success: `${CIRCLE}m-4 9.5 2.8 2.8L16 9.5`,
  warning: 'M12 4 2.5 20h19L12 4ZM12 10v4M12 17v.01',
  error: 'M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3ZM12 8v4.5M12 16v.01',
  close: 'M6 6l12 12M18 6 6 18',
};

export function icon(name: Icon): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', OUTLINES[name]);
  svg.append(path);
  return svg;
}
