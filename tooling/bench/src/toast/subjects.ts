/** A library on a page: what a bundler takes in, and what shows a toast. */
export interface ToastSubject {
  readonly name: string;
  /** A module that sets `window.showToast(message)`. */
  readonly source: string;
  /** What is there anyway where the library is used, and so no part of its size. */
  readonly given: readonly string[];
}

const REACT = ['react', 'react-dom', 'react-dom/client', 'react/jsx-runtime'];

const mounted = `
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  createRoot(document.body.appendChild(document.createElement('div'))).render(createElement(Toaster));
`;

export const toastSubjects: readonly ToastSubject[] = [
  {
    name: '@deskside/ui-toast/element',
    source: `
      import '@deskside/ui-toast/element';
      const toaster = document.body.appendChild(document.createElement('deskside-toaster'));
      window.showToast = (message) => toaster.show({ message, severity: 'info' });
    `,
    given: [],
  },
  {
    name: 'sonner',
    source: `
      import { toast, Toaster } from 'sonner';
      ${mounted}
      window.showToast = (message) => toast.info(message);
    `,
    given: REACT,
  },
  {
    name: 'react-hot-toast',
    source: `
      import { toast, Toaster } from 'react-hot-toast';
      ${mounted}
      window.showToast = (message) => toast(message);
    `,
    given: REACT,
  },
  {
    name: 'notyf',
    source: `
      import { Notyf } from 'notyf';
      import 'notyf/notyf.min.css';
      const notyf = new Notyf();
      window.showToast = (message) => notyf.success(message);
    `,
    given: [],
  },
];
