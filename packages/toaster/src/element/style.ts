import { cardStyle } from '../card/style.ts';

const layerStyle = `
:host { display: contents; }
:host([theme=auto]) { color-scheme: light dark; }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
[hidden] { display: none !important; }
.layer { all: unset; position: fixed; inset: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left); pointer-events: none; }
.layer:not(:popover-open) { display: none; }
.stack { position: absolute; isolation: isolate; display: grid; gap: 8px; width: min(440px, 100vw); max-height: 100%; padding: 16px 16px 36px; overflow: hidden auto; scrollbar-width: thin; }
.stack.open { pointer-events: auto; }
.stack > * { grid-column: 1; min-width: 0; pointer-events: auto; }
.stack .card { transform-origin: bottom; transition: scale .3s, opacity .3s; }
.stack[class*=bottom-] { --sign: -1; padding-block: 36px 16px; }
.stack[class*=bottom-] .card { transform-origin: top; }
.under, .more { translate: 0 calc(var(--depth) * var(--sign, 1) * 9px); }
.under { height: 0; min-height: 100%; overflow: hidden; scale: calc(1 - var(--depth) * .05) 1; }
.under > * { visibility: hidden; opacity: 0; }
.stack .card > * { transition: opacity .2s, visibility .2s; }
.stack .more { justify-self: center; }
[class*=top-] { top: 0; }
[class*=bottom-] { bottom: 0; }
[class*=-right] { right: 0; }
[class*=-left] { left: 0; }
[class*=-center] { left: 50%; transform: translateX(-50%); }
.unread { box-shadow: inset 3px 0 var(--tone) !important; }
.stack .card, .center { box-shadow: 0 4px 12px rgb(0 0 0 / .12), 0 1px 2px rgb(0 0 0 / .08); }
.stack > .leaving.leaving { position: absolute; grid-area: auto; min-height: 0; pointer-events: none; }
.more, .clear, .center { border: 1px solid color-mix(in srgb, currentColor 18%, var(--ground)); border-radius: 12px; background: color-mix(in srgb, currentColor 4%, var(--ground)); pointer-events: auto; }
.more, .clear { align-self: center; padding: 3px 12px; }
.center { position: absolute; inset-block: 12px; right: 12px; display: flex; flex-direction: column; width: min(400px, 100vw - 24px); }
.center header { display: flex; align-items: center; gap: 8px; padding: 12px 14px; }
.center h2 { flex: 1; margin: 0; font-size: max(16px, 1rem); }
.center header .close { margin: 0; align-self: center; }
.center ol { display: grid; gap: 8px; margin: 0; padding: 4px 14px 14px; overflow: auto; list-style: none; align-content: start; }
.empty { padding: 0 14px; }
.layer:has([class*=top-] > *):has([class*=bottom-] > *) .stack { max-height: 50%; }
@media (max-width: 1319px), (max-height: 500px) {
  .layer:popover-open { display: flex; flex-direction: column; overflow-y: auto; }
  .layer::before { content: ''; order: 1; margin-top: auto; }
  .stack.stack.stack { position: static; transform: none; flex: none; }
  .stack:empty { display: none; }
  [class*=-center] { order: -1; align-self: center; }
  [class*=-right] { margin-left: auto; }
  .stack[class*=bottom-] { order: 2; }
}
@media (max-width: 863px), (max-height: 500px) {
  .layer:popover-open { padding-block: 6px; }
  .stack.stack.stack { max-height: none !important; padding-block: 4px; overflow: visible; }
}
@media (prefers-reduced-motion: reduce) { .stack .card, .stack .card > * { transition: none; } }
`;

let shared: CSSStyleSheet | undefined;

/** One constructed sheet for all toasters: a content security policy does not block it. */
export function elementStyle(): CSSStyleSheet {
  if (shared === undefined) {
    shared = new CSSStyleSheet();
    // `all: unset` of the layer comes first.
    shared.replaceSync(layerStyle + cardStyle);
  }
  return shared;
}
