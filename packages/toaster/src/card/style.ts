/** Styles of a card and of what contains cards, in the element and in the view. Colors follow `color-scheme`. */
export const cardStyle = `
* { box-sizing: border-box; }
.card {
  padding: 12px 12px 12px 16px;
  display: grid;
  white-space: pre-line;
  grid-template-columns: auto 1fr auto;
  gap: 4px 12px;
  border: 1px solid color-mix(in srgb, var(--tone) 22%, var(--ground));
  background: color-mix(in srgb, var(--tone) 4%, var(--ground));
  border-radius: var(--deskside-radius, 10px);
}
.layer, main {
  color: var(--text);
  text-align: start;
  font: max(13px, .8125rem)/1.45 var(--deskside-font, system-ui, sans-serif);
  --ground: var(--deskside-background, light-dark(#fff, #1b1c20));
  --text: var(--deskside-text, light-dark(#1a1c20, #ececf0));
}
.info { --tone: var(--deskside-info, light-dark(#1f4fbf, #9cbcff)); }
.success { --tone: var(--deskside-success, light-dark(#047857, #6ee7b7)); }
.warning { --tone: var(--deskside-warning, light-dark(#8f4a00, #ffc46b)); }
.error { --tone: var(--deskside-error, light-dark(#b42318, #ff9d94)); }
.icon { color: var(--tone); align-items: center; display: grid; height: 1.4em; }
svg { width: 18px; height: 18px; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; fill: none; }
.loading { animation: spin 1s linear infinite; }
@keyframes spin { to { rotate: 1turn; } }
@media (prefers-reduced-motion: reduce) {
  .loading { animation-timing-function: steps(8); animation-duration: 4s; }
}
p { margin: 0; }
.title { font-weight: 600; }
.title ~ * { color: color-mix(in srgb, currentColor 80%, var(--ground)); }
.text { min-width: 0; text-wrap: pretty; overflow-wrap: anywhere; }
button { all: unset; cursor: pointer; }
:focus-visible { outline: 2px solid var(--tone, currentColor); outline-offset: 2px; }
.close { opacity: .7; display: grid; place-items: center; width: 28px; height: 28px; margin: -4px -4px -4px 0; border-radius: 6px; }
.close svg { width: 16px; height: 16px; }
.actions { grid-column: 2 / -1; gap: 8px; margin-top: 4px; display: flex; flex-wrap: wrap; }
.label { font-weight: 500; padding: 4px 12px; border: 1px solid color-mix(in srgb, currentColor 18%, var(--ground)); background: var(--ground); transition: background .12s; border-radius: 6px; }
.dismiss .label { border-color: #0000; background: color-mix(in srgb, currentColor 8%, #0000); }
.action { display: grid; place-items: start; gap: 4px; align-content: start; }
.action:hover .label, .close:hover { opacity: 1; background: color-mix(in srgb, currentColor 9%, var(--ground)); }
.primary .label { border-color: #0000; background: var(--text); color: var(--ground); }
.primary:hover .label { background: color-mix(in srgb, currentColor 20%, var(--text)); }
.sends { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
[aria-disabled=true] { opacity: .7; }
.sends, .state, .time { opacity: .8; font-size: max(12px, .75rem); }
@media (pointer: coarse) {
  .label { align-content: center; min-height: 40px; }
  .close { height: 40px; margin: -10px; width: 40px; }
}
.sends::before { content: open-quote; }
.sends::after { content: close-quote; }
.unseen { clip-path: inset(50%); height: 1px; width: 1px; position: absolute; overflow: hidden; white-space: nowrap; }
.whole { -webkit-line-clamp: none; }
`;
