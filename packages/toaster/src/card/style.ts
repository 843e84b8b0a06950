/** Styles of a card and of what contains cards, in the element and in the view. Colors follow `color-scheme`. */
export const cardStyle = `
* { box-sizing: border-box; }
.layer, main {
  --ground: var(--deskside-background, light-dark(#fff, #1c1c21));
  --text: var(--deskside-text, light-dark(#18181b, #f4f4f5));
  color: var(--text);
  font: max(13px, .8125rem)/1.45 var(--deskside-font, system-ui, sans-serif);
  text-align: start;
}
.card {
  display: grid;
  grid-template-columns: auto 1fr auto;
  gap: 2px 10px;
  padding: 13px 12px 13px 14px;
  border: 1px solid color-mix(in srgb, var(--tone) 22%, var(--ground));
  border-radius: var(--deskside-radius, 12px);
  background: color-mix(in srgb, var(--tone) 4%, var(--ground));
  white-space: pre-line;
}
.info { --tone: var(--deskside-info, light-dark(#0369a1, #7dd3fc)); }
.success { --tone: var(--deskside-success, light-dark(#047857, #6ee7b7)); }
.warning { --tone: var(--deskside-warning, light-dark(#a15c07, #fcd34d)); }
.error { --tone: var(--deskside-error, light-dark(#be123c, #fda4af)); }
.icon { display: grid; align-items: center; height: 1.4em; color: var(--tone); }
svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.loading { animation: spin 1s linear infinite; }
@keyframes spin { to { rotate: 1turn; } }
@media (prefers-reduced-motion: reduce) { .loading { animation-timing-function: steps(8); animation-duration: 4s; } }
.text { min-width: 0; overflow-wrap: anywhere; text-wrap: pretty; }
.text p { margin: 0; }
.text .title { font-weight: 600; }
.title ~ * { color: color-mix(in srgb, currentColor 80%, var(--ground)); }
button { all: unset; box-sizing: border-box; cursor: pointer; }
:focus-visible { outline: 2px solid var(--tone, currentColor); outline-offset: 2px; }
.close { display: grid; place-items: center; width: 28px; height: 28px; margin: -5px -4px -5px 0; border-radius: 8px; opacity: .7; }
.close svg { width: 16px; height: 16px; }
.actions { grid-column: 2 / -1; display: flex; flex-wrap: wrap; gap: 6px; margin-top: 7px; }
.action { display: flex; flex-wrap: wrap; gap: 0 .5em; align-items: baseline; padding: 4px 11px; border: 1px solid color-mix(in srgb, currentColor 18%, var(--ground)); border-radius: 8px; background: var(--ground); transition: background .15s; }
.action.dismiss { border-color: #0000; background: color-mix(in srgb, currentColor 8%, #0000); }
.action:hover, .close:hover { background: color-mix(in srgb, currentColor 9%, var(--ground)); opacity: 1; }
.action:active { scale: .98; }
.action.primary { border-color: #0000; background: var(--text); color: var(--ground); }
.action.primary:hover { background: color-mix(in srgb, currentColor 20%, var(--text)); }
[aria-disabled=true] { opacity: .7; }
.label { font-weight: 500; }
.sends, .state, .time { font-size: max(12px, .75rem); opacity: .85; }
.sends::before { content: open-quote; }
.sends::after { content: close-quote; }
@media (pointer: coarse) { .action { min-height: 40px; align-items: center; align-content: center; } .close { width: 40px; height: 40px; margin: -10px; } }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
