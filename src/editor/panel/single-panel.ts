import * as vscode from 'vscode';
import type { ZodType } from 'zod';
import { Disposable } from '../lifecycle.ts';
import { openPanel, type PageParts, restorePanels, WebviewPage } from './webview-page.ts';

/** The page of the panel, and what VS Code restores of it. `State`: what the page saves for that. */
export interface SinglePanelParts<Received, State> extends PageParts<Received> {
  readonly viewType: string;
  /** The name of a theme icon. */
  readonly icon: string;
  stateSchema(): Promise<ZodType<State>>;
  /** Prepares what a restored panel shows, and returns what makes it the content of the panel. */
  restore(state: State): Promise<() => void>;
}

/** A kind of panel of which a window has at most one, restored after a window reload. */
export class SinglePanel<Sent, Received extends { readonly type: string }, State> extends Disposable {
  readonly #parts: SinglePanelParts<Received, State>;
  #page: WebviewPage<Sent, Received> | undefined;

  constructor(parts: SinglePanelParts<Received, State>) {
    super();
    this.#parts = parts;
    this.register(
      restorePanels(parts.viewType, parts.stateSchema, async (panel, state) => {
        const show = this.#page === undefined ? await parts.restore(state) : undefined;
        // The panel may have been opened meanwhile, with something else.
        if (show === undefined || this.#page !== undefined) return panel.dispose();
        show();
        this.#adopt(panel);
      }),
    );
  }

  /** Undefined while the panel is closed. */
  get page(): WebviewPage<Sent, Received> | undefined {
    return this.#page;
  }

  /** Opens the panel, or brings it to the front, and shows everything. */
  reveal(title: string, column: vscode.ViewColumn | undefined): void {
    if (this.#page === undefined) this.#adopt(openPanel(this.#parts.viewType, title, column));
    else {
      this.#page.panel.title = title;
      this.#page.panel.reveal(undefined, true);
      void this.#parts.renew();
    }
  }

  #adopt(panel: vscode.WebviewPanel): void {
    panel.iconPath = new vscode.ThemeIcon(this.#parts.icon);
    this.#page = new WebviewPage<Sent, Received>(panel, {
      ...this.#parts,
      onClose: () => {
        this.#page = undefined;
        this.#parts.onClose();
      },
    });
    void this.#parts.renew();
  }

  override dispose(): void {
    this.#page?.dispose();
    super.dispose();
  }
}
