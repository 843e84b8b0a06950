/** Styles of a card, in the element and in the view. Colors follow `color-scheme`. */
export const cardStyle = `
.card {
  --ground: var(--deskside-background, light-dark(#fff, #1c1c21));
  display: grid;
  grid-template-columns: auto 1fr auto;
  gap: 4px 10px;
  box-sizing: border-box;
  padding: 12px 12px 12px 14px;
  border: 1px solid color-mix(in srgb, var(--tone) 35%, var(--ground));
  border-radius: var(--deskside-radius, 10px);
  background: color-mix(in srgb, var(--tone) 7%, var(--ground));
  color: var(--deskside-text, light-dark(#18181b, #f4f4f5));
  font: max(14px, .875rem)/1.45 var(--deskside-font, system-ui, sans-serif);
  text-align: start;
}
.info { --tone: var(--deskside-info, light-dark(#0369a1, #7dd3fc)); }
.success { --tone: var(--deskside-success, light-dark(#047857, #6ee7b7)); }
.warning { --tone: var(--deskside-warning, light-dark(#a15c07, #fcd34d)); }
.error { --tone: var(--deskside-error, light-dark(#be123c, #fda4af)); }
.icon { color: var(--tone); }
svg { display: block; width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.text { min-width: 0; overflow-wrap: anywhere; }
.text p { margin: 0; white-space: pre-line; }
.text .title { font-weight: 600; }
button { font: inherit; color: inherit; cursor: pointer; }
*:focus-visible { outline: 2px solid var(--tone, currentColor); outline-offset: 2px; }
.close { align-self: start; margin: -6px -6px 0 0; padding: 6px; border: 0; border-radius: 6px; background: none; }
.close svg { width: 16px; height: 16px; }
.actions { grid-column: 2 / -1; display: flex; flex-wrap: wrap; gap: 6px; margin-top: 4px; }
.action { padding: 5px 10px; border: 1px solid color-mix(in srgb, var(--tone) 45%, var(--ground)); border-radius: 7px; background: var(--ground); text-align: start; }
.action:hover, .close:hover { background: color-mix(in srgb, var(--tone) 14%, var(--ground)); }
.action.prompt { flex: 1 1 auto; }
[aria-disabled=true] { opacity: .8; }
.label { display: block; font-weight: 600; color: var(--tone); }
.sends, .state { display: block; font-size: max(12px, .75rem); white-space: pre-line; }
.sends::before { content: "“"; }
.sends::after { content: "”"; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
