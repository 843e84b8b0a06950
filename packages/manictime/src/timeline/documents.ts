import { hostOf } from '../privacy/rules.ts';
import type { Activity } from './activity.ts';

export type DocumentKind = 'website' | 'file' | 'other';

/** What a row of a Documents or BrowserUrls timeline stands for: by its group, and else by its name. */
export function documentKind({ group, timeline, name = '' }: Activity): DocumentKind {
  if (timeline.kind === 'urls') return 'website';
  const type = group?.type?.toLowerCase();
  if (type === 'manictime/websites') return 'website';
  if (type === 'manictime/files') return 'file';
  if (type !== undefined && type !== '') return 'other';
  return /^https?:\/\//i.test(name) ? 'website' : 'file';
}

/** The site as people name it. */
export function siteOf({ group, name = '' }: Activity): string {
  const site = group?.commonName ?? group?.name;
  if (site !== undefined && site !== '') return site;
  const host = hostOf(name);
  return host === '' ? name : host;
}

/** The file; a Windows path becomes a `file:` address. */
export function fileOf({ name, group }: Activity): string | undefined {
  const path = name ?? group?.name;
  if (path === undefined || !/^[a-z]:[\\/]/i.test(path)) return path;
  return `file:///${encodeURI(path.replaceAll('\\', '/')).replaceAll('#', '%23').replaceAll('?', '%3F')}`;
}
