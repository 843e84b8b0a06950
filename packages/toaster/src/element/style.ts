import { cardStyle } from '../card/style.ts';

const layerStyle = `
:host { display: contents; }
[hidden] { display: none !important; }
:host([theme=auto]) { color-scheme: light dark; }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
.layer { all: unset; pointer-events: none; position: fixed; inset: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left); }
.layer:not(:popover-open) { display: none; }
.stack.open { pointer-events: auto; }
.stack { padding: 16px 16px 36px; position: absolute; overflow: hidden auto; gap: 8px; display: grid; max-height: 100%; scrollbar-width: thin; isolation: isolate; width: min(440px, 100%); }
.stack > * { grid-column: 1; min-width: 0; pointer-events: auto; }
.stack .card { transform-origin: bottom; transition: scale .3s, opacity .3s; }
.under, .more { translate: 0 calc(var(--depth) * var(--sign, 1) * 8px); }
.stack[class*=bottom-] { padding-block: 36px 16px; --sign: -1; }
.stack[class*=bottom-] .card { transform-origin: top; }
.under { scale: calc(1 - var(--depth) * .05) 1; min-height: 100%; height: 0; overflow: hidden; }
.stack .card > * { transition: opacity .2s, visibility .2s; }
.under > * { opacity: 0; visibility: hidden; }
[class*=top-] { top: 0; }
[class*=bottom-] { bottom: 0; }
[class*=-right] { right: 0; }
[class*=-left] { left: 0; }
[class*=-center] { left: 50%; transform: translateX(-50%); }
.stack > .leaving.leaving { position: absolute; min-height: 0; pointer-events: none; grid-area: auto; }
.unread { box-shadow: inset 3px 0 var(--tone) !important; }
.stack .card, .center { box-shadow: 0 4px 12px #0002, 0 1px 2px #0001; }
.more, .clear, .center {
  border: 1px solid color-mix(in srgb, currentColor 18%, var(--ground));
  background: color-mix(in srgb, currentColor 4%, var(--ground));
  border-radius: 10px;
  pointer-events: auto;
}
.center { position: absolute; inset-block: 12px; right: 12px; display: flex; flex-direction: column; width: min(400px, 100% - 24px); }
.more, .clear { padding: 4px 12px; place-self: center; }
.center header { padding: 12px 16px; display: flex; gap: 8px; align-items: center; }
.center h2 { flex: 1; margin: 0; font-size: max(16px, 1rem); }
.center header .close { margin: 0; align-self: center; }
.center ol { margin: 0; align-content: start; overflow: auto; gap: 8px; display: grid; list-style: none; padding: 4px 16px 16px; }
@media (max-width: 1319px), (max-height: 500px) {
  .layer:popover-open { display: flex; flex-direction: column; overflow-y: auto; }
  .stack:empty { display: none; }
  .stack.stack.stack { transform: none; position: static; flex: none; }
  .layer::before { content: ''; margin-top: auto; order: 1; }
  [class*=-center] { align-self: center; order: -1; }
  .stack[class*=bottom-] { order: 2; }
  [class*=-right] { margin-left: auto; }
  [class*=-left] { margin-right: auto; }
}
.layer:has([class*=top-] > *):has([class*=bottom-] > *) .stack { max-height: 50%; }
.empty { padding: 0 16px; }
@media (max-width: 863px), (max-height: 500px) {
  .layer:popover-open { padding-block: 4px; }
  .stack.stack.stack { padding-block: 4px; overflow: visible; max-height: none !important; }
}
@media print { .layer { display: none !important; } }
@media (prefers-reduced-motion: reduce) {
  .stack * { transition: none !important; }
}
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
