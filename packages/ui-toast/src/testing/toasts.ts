import type { Locator, Page } from 'playwright-core';
import type { NotificationContent, ToastInput } from '../element/index.ts';
import type { Position } from '../notification/notification.ts';

export function show(page: Page, input: ToastInput): Promise<string> {
  return page.evaluate((given) => document.querySelector('deskside-toaster')?.show(given) ?? '', input);
}

export function update(page: Page, id: string, changes: Partial<NotificationContent>): Promise<boolean> {
  return page.evaluate(
    ([known, given]) => document.querySelector('deskside-toaster')?.update(known, given) ?? false,
    [id, changes] as const,
  );
}

export function dismiss(page: Page, id: string): Promise<boolean> {
  return page.evaluate((known) => document.querySelector('deskside-toaster')?.dismiss(known) ?? false, id);
}

export function cards(page: Page, position: Position = 'top-right'): Locator {
  return page.locator(`.stack.${position} .card:not(.leaving)`);
}

/** The texts of the cards at a position, from top to bottom. */
export async function messages(page: Page, position: Position = 'top-right'): Promise<string[]> {
  return cards(page, position).locator('.message').allTextContents();
}
