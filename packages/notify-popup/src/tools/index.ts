import type { Tool } from '@deskside/core';
import type { Popup } from '../notify-popup.ts';
import { notify } from './notify.ts';

export const popupTools: readonly Tool<Popup>[] = [notify];
