const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text between tags and for quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** For the body of a notification of a freedesktop desktop, which is markup. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '');
}
