import type * as vscode from 'vscode';
import type { HostMessage } from '../../presentation/runs/messages.ts';
import { FrameGate } from './frames.ts';
import { loadPage, resourceRoots } from './page.ts';
import { isBelow } from './step-location.ts';

/** The state of a panel's page: what it can load, and whether it has the run. */
export class RunPage {
  /** The frames of the live view. */
  readonly frames = new FrameGate<Extract<HostMessage, { type: 'frame' }>>((frame) => this.post(frame));
  readonly #webview: vscode.Webview;
  readonly #extensionUri: vscode.Uri;
  #ready = false;
  #hasRun = false;
  /** The folders that it can load from. Changing them reloads the page. */
  #roots: readonly string[] = [];

  constructor(webview: vscode.Webview, extensionUri: vscode.Uri) {
    this.#webview = webview;
    this.#extensionUri = extensionUri;
    this.#load(null);
  }

  /** Whether it accepts messages. */
  get ready(): boolean {
    return this.#ready;
  }

  /** Whether it has the run, so that it can handle updates. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** It has posted `ready`. */
  arrived(): void {
    this.#ready = true;
  }

  /** It became visible. */
  shown(): void {
    if (this.#ready) this.frames.open();
  }

  /** VS Code destroys a hidden page. It posts `ready` when it is loaded again. */
  hidden(): void {
    this.frames.close();
    this.#ready = false;
    this.#hasRun = false;
  }

  /** Another run will be shown. */
  forget(): void {
    this.#hasRun = false;
  }

  /** Reloads the page if it cannot load the screenshots of a run. */
  allowPictures(traceDir: string | null | undefined): void {
    if (typeof traceDir === 'string' && !this.#roots.some((root) => isBelow(traceDir, root))) this.#load(traceDir);
  }

  /** Posts a run. */
  postRun(message: Extract<HostMessage, { type: 'run' }>): void {
    this.#hasRun = true;
    this.post(message);
  }

  /** Posts an update, if the page has the run. */
  postUpdate(message: HostMessage): void {
    if (this.#hasRun) this.post(message);
  }

  post(message: HostMessage): void {
    void this.#webview.postMessage(message);
  }

  /** The URI by which it loads a file. */
  addressOf(file: vscode.Uri): string {
    return this.#webview.asWebviewUri(file).toString();
  }

  #load(traceDir: string | null): void {
    this.hidden();
    const roots = resourceRoots(this.#extensionUri, traceDir);
    this.#roots = roots.map(({ fsPath }) => fsPath);
    loadPage(this.#webview, this.#extensionUri, roots);
  }
}
