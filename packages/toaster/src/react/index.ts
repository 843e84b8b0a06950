'use client';

import {
  forwardRef,
  type HTMLAttributes,
  type RefAttributes,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import '../index.ts';
import type { DesksideToaster, Labels, PromptDetail, ToastPosition } from '../index.ts';

export { getToaster } from '../index.ts';
export type { DesksideToaster, Labels, PromptDetail, ToastInput, ToastOptions } from '../index.ts';

/** Before the effects of the page, which may call `getToaster`. React 18 warns of a layout effect on a server. */
const useEarlyEffect = typeof document === 'undefined' ? useEffect : useLayoutEffect;

export interface ToasterProps {
  /**
   * A person clicked a prompt action: send the prompt as their message. Return false to keep the toast open,
   * or a promise to show that the prompt is being sent.
   */
  readonly onPrompt?: (detail: PromptDetail) => unknown;
  /** `auto`, `light` or `dark`; without it the page's own `color-scheme`. */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** Default `F8`; empty for none. */
  readonly hotkey?: string;
  /** Of toasts without a position; default `top-right`. */
  readonly position?: ToastPosition;
  readonly labels?: Partial<Labels>;
}

/**
 * `<deskside-toaster>` for React; the ref is the element. React does not render it: it is appended to the body, because
 * it moves into a modal dialog while one is open.
 */
export const Toaster = forwardRef<DesksideToaster | null, ToasterProps>(function Toaster(props, ref) {
  const { theme, hotkey, position, labels } = props;
  const toaster = useRef<DesksideToaster | null>(null);
  const hasLabels = useRef(false);
  const onPrompt = useRef(props.onPrompt);
  onPrompt.current = props.onPrompt;
  if (toaster.current === null && typeof document !== 'undefined') {
    toaster.current = document.createElement('deskside-toaster');
    toaster.current.addEventListener('deskside-prompt', (event) => {
      const sending = onPrompt.current?.(event.detail);
      if (sending === false) event.preventDefault();
      if (sending instanceof Promise) event.detail.waitUntil(sending);
    });
  }
  useImperativeHandle<DesksideToaster | null, DesksideToaster | null>(ref, () => toaster.current, []);

  useEarlyEffect(() => {
    if (toaster.current?.isConnected === false) document.body.append(toaster.current);
  }, []);
  // Not at the end of the layout effect: React ends those also while a Suspense boundary shows its fallback.
  useEffect(() => () => toaster.current?.remove(), []);

  // Pages make equal labels anew in each render: drawing again would take a button from under the pointer.
  const words = JSON.stringify(labels);
  useEarlyEffect(() => {
    setAttribute(toaster.current, 'theme', theme);
    setAttribute(toaster.current, 'hotkey', hotkey);
    setAttribute(toaster.current, 'position', position);
    // Labels that a page gives to the element itself stay.
    if (toaster.current !== null && (labels !== undefined || hasLabels.current))
      toaster.current.labels = labels ?? {};
    hasLabels.current = labels !== undefined;
  }, [theme, hotkey, position, words]);

  return null;
});

/** Props of `<deskside-toaster>` in TSX. `Toaster` keeps the element outside of what React renders. */
export interface ToasterElementProps extends HTMLAttributes<DesksideToaster>, RefAttributes<DesksideToaster> {
  readonly theme?: 'auto' | 'light' | 'dark';
  readonly hotkey?: string;
  readonly position?: ToastPosition;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'deskside-toaster': ToasterElementProps;
    }
  }
}

/** A setting of a page that is absent may be null. */
function setAttribute(element: Element | null, name: string, value: string | null | undefined): void {
  if (typeof value === 'string') element?.setAttribute(name, value);
  else element?.removeAttribute(name);
}
