import type * as vscode from 'vscode';
import { FrameGate } from './frames.ts';
import type { HostMessage } from './messages.ts';
import { loadPage, resourceRoots } from './page.ts';
import { isBelow } from './step-location.ts';

/** The page in a run's panel, as far as the extension knows how it stands: what it may load, and what it has been told. */
export class RunPage {
  /** The live picture on its way to the page. */
  readonly frames = new FrameGate<Extract<HostMessage, { type: 'frame' }>>((frame) => this.post(frame));
  readonly #webview: vscode.Webview;
  readonly #extensionUri: vscode.Uri;
  #ready = false;
  #told = false;
  /** Its folders of pictures, so that it is not loaded anew for every run. */
  #roots: readonly string[] = [];

  constructor(webview: vscode.Webview, extensionUri: vscode.Uri) {
    this.#webview = webview;
    this.#extensionUri = extensionUri;
    this.#load(null);
  }

  /** It has loaded and takes messages. */
  get ready(): boolean {
    return this.#ready;
  }

  /** It has been told of the run it shows, so that what follows makes sense to it. */
  get told(): boolean {
    return this.#told;
  }

  /** It has said that it takes messages. */
  arrived(): void {
    this.#ready = true;
  }

  /** It can be seen. */
  shown(): void {
    if (this.#ready) this.frames.open();
  }

  /** A hidden page is gone; it says `ready` when it is loaded anew. */
  hidden(): void {
    this.frames.close();
    this.#ready = false;
    this.#told = false;
  }

  /** It is to show another run. */
  forget(): void {
    this.#told = false;
  }

  /** A run whose pictures it may not load yet needs it to be loaded anew. */
  allowPictures(traceDir: string | null | undefined): void {
    if (typeof traceDir === 'string' && !this.#roots.some((root) => isBelow(traceDir, root))) this.#load(traceDir);
  }

  /** Tells it everything about the run, from nothing. */
  tellRun(message: Extract<HostMessage, { type: 'run' }>): void {
    this.#told = true;
    this.post(message);
  }

  /** Tells it what only says something where it knows of the run. */
  tell(message: HostMessage): void {
    if (this.#told) this.post(message);
  }

  post(message: HostMessage): void {
    void this.#webview.postMessage(message);
  }

  /** The address by which it loads a file. */
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
