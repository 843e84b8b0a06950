import { Liquid, type LiquidOptions, LookupType, type Template, toPromise, toValueSync } from 'liquidjs';
import type { Speak } from './modes.ts';
import { NotifyParser } from './notify-parser.ts';
import { notifyTag } from './notify-tag.ts';

/** Characters of a template, memory, and milliseconds of rendering: prompts need far less. */
const LIMITS = { parseLimit: 1_000_000, memoryLimit: 10_000_000, renderLimit: 5000 };

/**
 * Liquid with `{{ notify "text" }}` and `{% notify "text", level: "warn", context: "safety" %}`, which work inside
 * conditions, loops and partials, and are text inside `raw` and nothing inside comments. liquidjs itself would
 * drop the text of the first form without a word.
 */
export class NotifyLiquid extends Liquid {
  constructor(speak: Speak, options: LiquidOptions = {}) {
    super({ ...LIMITS, ownPropertyOnly: true, ...options });
    this.registerTag('notify', notifyTag(speak));
  }

  override parse(html: string, filepath?: string): Template[] {
    return new NotifyParser(this).parse(html, filepath);
  }

  override _parsePartialFile(file: string, sync?: boolean, currentFile?: string) {
    return new NotifyParser(this).parseFile(file, sync, LookupType.Partials, currentFile);
  }

  override _parseLayoutFile(file: string, sync?: boolean, currentFile?: string) {
    return new NotifyParser(this).parseFile(file, sync, LookupType.Layouts, currentFile);
  }

  override _parseFile(file: string, sync?: boolean, lookupType?: LookupType, currentFile?: string) {
    return new NotifyParser(this).parseFile(file, sync, lookupType, currentFile);
  }

  override parseFile(file: string, lookupType?: LookupType): Promise<Template[]> {
    return toPromise(new NotifyParser(this).parseFile(file, false, lookupType));
  }

  override parseFileSync(file: string, lookupType?: LookupType): Template[] {
    return toValueSync(new NotifyParser(this).parseFile(file, true, lookupType));
  }
}
