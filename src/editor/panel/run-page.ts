import * as vscode from 'vscode';
import type { HostMessage, PanelMessage } from '../../presentation/runs/messages.ts';
import { FrameGate } from './frames.ts';
import { isBelow } from './step-location.ts';
import { type PageParts, WebviewPage } from './webview-page.ts';

/** The page of a run, with a live view, and the screenshots that it can load. */
export class RunPage extends WebviewPage<HostMessage, PanelMessage> {
  /** The frames of the live view. */
  readonly frames = new FrameGate<Extract<HostMessage, { type: 'frame' }>>((frame) => this.post(frame));

  constructor(panel: vscode.WebviewPanel, parts: PageParts<PanelMessage>) {
    super(panel, parts, screenshotFolders());
  }

  /** Passes frames on if the page can draw them. */
  updateFrames(): void {
    if (!this.panel.visible) this.frames.close();
    else if (this.state === 'ready') this.frames.open();
  }

  /** Reloads the page if it cannot load the screenshots of a run. */
  allowPictures(traceDir: string | null | undefined): void {
    const roots = this.panel.webview.options.localResourceRoots ?? [];
    if (typeof traceDir !== 'string' || roots.some(({ fsPath }) => isBelow(traceDir, fsPath))) return;
    const folders = screenshotFolders();
    const isInJobs = folders.some(({ fsPath }) => isBelow(traceDir, fsPath));
    this.frames.close();
    this.load(isInJobs ? folders : [...folders, vscode.Uri.file(traceDir)]);
  }
}

/** The folders of the jobs of the workspace. */
function screenshotFolders(): readonly vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => vscode.Uri.joinPath(uri, '.taskwright', 'jobs'));
}
