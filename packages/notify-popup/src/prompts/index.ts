import type { Prompt } from '@deskside/core';
import type { Popup } from '../popup.ts';
import { notifyPrompt } from './notify.ts';

export const popupPrompts: readonly Prompt<Popup>[] = [notifyPrompt];
