import type { PanelRun } from '../../src/presentation/runs/messages.ts';

type Schema = NonNullable<PanelRun['actions']>;

/** A form for an action. */
export interface ActionForm {
  /** The action in the form; null if it is empty. */
  read(): Schema | null;
  /** Shows what is wrong; true for nothing. */
  check(): boolean;
  remove(): void;
}

declare global {
  interface Window {
    /** Defined by `form.js`. */
    taskwrightForm?: (container: HTMLElement, schema: Schema) => ActionForm;
  }
}

/** The script of the page, known only while it runs first. `form.js` is next to it. */
const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null;
let loading: Promise<void> | null = null;

/** Loads the code of forms, once. */
export function loadForm(): Promise<void> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.nonce = own?.nonce ?? '';
    script.src = (own?.src ?? '').replace(/panel\.js(?=[?#]|$)/, 'form.js');
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => reject(new Error('The code of forms could not be loaded.')));
    document.head.append(script);
  });
  return loading;
}
