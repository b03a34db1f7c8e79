import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ZodType } from 'zod';
import { report } from '../report.ts';
import { panelHtml } from './html.ts';

/** What a page posts to its owner, apart from `ready`. */
export type PageRequest<Received> = Exclude<Received, { readonly type: 'ready' }>;

type PageState = 'loading' | 'ready' | 'hidden';

/** The content of a page, and the callbacks of its owner. `Received`: what the page posts. */
export interface PageParts<Received> {
  readonly extensionUri: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
  /** What reports of errors call the panel. */
  readonly label: string;
  /** The name of its script and style sheet in `dist/`. */
  readonly script: string;
  /** Loads the schema of what the page posts. Anything else is dropped and logged. */
  messageSchema(): Promise<ZodType<Received>>;
  answer(request: PageRequest<Received>): Promise<void>;
  /** Shows everything again on a page that VS Code loaded again. */
  renew(): Promise<void> | void;
  /** The page became ready, or the panel visible, hidden, or focused. */
  onStateChange?(): void;
  onClose(): void;
}

/**
 * A webview panel with its page. What is posted while the page loads waits until it is ready. VS Code destroys a hidden page;
 * what is posted to it is dropped, as it is renewed when it is visible again.
 */
export class WebviewPage<Sent, Received extends { readonly type: string }> implements vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly #parts: PageParts<Received>;
  readonly #schema: Promise<ZodType<Received>>;
  #state: PageState = 'hidden';
  #queue: Sent[] = [];
  #filled = false;

  /** @param roots folders beside `dist/` that it may load from */
  constructor(panel: vscode.WebviewPanel, parts: PageParts<Received>, roots: readonly vscode.Uri[] = []) {
    this.panel = panel;
    this.#parts = parts;
    this.#schema = parts.messageSchema();
    panel.onDidDispose(() => {
      this.#enter('hidden');
      parts.onClose();
    });
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.#enter('hidden');
      parts.onStateChange?.();
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => {
      this.#receive(raw).catch((error: unknown) => report(parts.log, parts.label, error));
    });
    this.load(roots);
  }

  get state(): PageState {
    return this.#state;
  }

  /** Whether it shows something, or will when it is ready. */
  get filled(): boolean {
    return this.#filled;
  }

  /** Shows something instead of all that was posted before. */
  show(message: Sent): void {
    this.clear();
    this.#filled = this.#state !== 'hidden';
    this.post(message);
  }

  /** Changes what is shown, if anything is. */
  update(message: Sent): void {
    if (this.#filled) this.post(message);
  }

  post(message: Sent): void {
    if (this.#state === 'ready') void this.panel.webview.postMessage(message);
    else if (this.#state === 'loading') this.#queue.push(message);
  }

  /** Something else will be shown. */
  clear(): void {
    this.#queue = [];
    this.#filled = false;
  }

  /** The URI by which it loads a file. */
  addressOf(file: vscode.Uri): string {
    return this.panel.webview.asWebviewUri(file).toString();
  }

  /** Loads its document again. */
  load(roots: readonly vscode.Uri[]): void {
    this.#enter(this.panel.visible ? 'loading' : 'hidden');
    const { webview } = this.panel;
    const { extensionUri, script } = this.#parts;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist, ...roots] };
    webview.html = panelHtml({
      nonce: randomBytes(16).toString('base64url'),
      cspSource: webview.cspSource,
      script: this.addressOf(vscode.Uri.joinPath(dist, `${script}.js`)),
      style: this.addressOf(vscode.Uri.joinPath(dist, `${script}.css`)),
      language: vscode.env.language,
      messages: vscode.l10n.bundle && JSON.stringify(vscode.l10n.bundle),
    });
  }

  #enter(state: 'loading' | 'hidden'): void {
    this.clear();
    this.#state = state;
  }

  async #receive(raw: unknown): Promise<void> {
    const parts = this.#parts;
    const message = (await this.#schema).safeParse(raw);
    if (!message.success)
      parts.log.warn(`${parts.label}: the page posted an invalid message: ${message.error.message}`);
    else if (isRequest(message.data)) await parts.answer(message.data);
    else await this.#becomeReady();
  }

  async #becomeReady(): Promise<void> {
    const empty = this.#state !== 'loading';
    if (empty) this.clear();
    this.#state = 'ready';
    for (const message of this.#queue.splice(0)) this.post(message);
    if (empty) await this.#parts.renew();
    this.#parts.onStateChange?.();
  }

  dispose(): void {
    this.panel.dispose();
  }
}

function isRequest<Received extends { readonly type: string }>(
  message: Received,
): message is Received & PageRequest<Received> {
  return message.type !== 'ready';
}

/** Opens a panel, by default beside the editor. */
export function openPanel(viewType: string, title: string, viewColumn = vscode.ViewColumn.Beside): vscode.WebviewPanel {
  return vscode.window.createWebviewPanel(viewType, title, { viewColumn, preserveFocus: true });
}

/** Restores panels after a window reload, from the state that their page saved. Closes those without a valid state. */
export function restorePanels<State>(
  viewType: string,
  stateSchema: () => Promise<ZodType<State>>,
  restore: (panel: vscode.WebviewPanel, state: State) => Promise<void>,
): vscode.Disposable {
  return vscode.window.registerWebviewPanelSerializer(viewType, {
    async deserializeWebviewPanel(panel, raw: unknown) {
      const state = (await stateSchema()).safeParse(raw);
      if (state.success) await restore(panel, state.data);
      else panel.dispose();
    },
  });
}
