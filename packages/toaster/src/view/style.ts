/** Styles of the page around the card. */
export const viewStyle = `
main {
  color-scheme: light dark;
  --deskside-font: var(--font-sans);
  --deskside-background: var(--color-background-primary);
  --deskside-text: var(--color-text-primary);
  --deskside-radius: var(--border-radius-lg);
  --deskside-info: var(--color-text-info);
  --deskside-success: var(--color-text-success);
  --deskside-warning: var(--color-text-warning);
  --deskside-error: var(--color-text-danger);
}
body { margin: 0; padding: 2px; }
.line { display: flex; align-items: center; gap: 8px; width: 100%; margin: 0; padding: 3px 4px; color: color-mix(in srgb, currentColor 80%, var(--ground)); }
.line svg { width: 16px; height: 16px; }
.ellipsis { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
`;
