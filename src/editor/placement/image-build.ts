import * as vscode from 'vscode';
import type { ImageBuild } from '../../placement/docker/docker.ts';
import { DisposableStore } from '../lifecycle.ts';

/** Shows the building of an image: every line in an output channel, how far it is in a notification that can cancel it. */
export class ImageBuilds implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  #channel: vscode.OutputChannel | undefined;

  follow(build: ImageBuild): void {
    const channel = this.#log();
    channel.clear();
    channel.appendLine(`Building ${build.tag}`);
    void vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: 'Building the image that tasks run in, which is kept',
        cancellable: true,
      },
      async (progress, cancellation) => {
        let shown = 0;
        const stop = build.onLine((line, { step, steps }) => {
          channel.appendLine(line);
          if (step === shown || steps === 0) return;
          progress.report({ message: `step ${step} of ${steps}`, increment: ((step - shown) / steps) * 100 });
          shown = step;
        });
        const cancel = cancellation.onCancellationRequested(() => build.cancel());
        const { built } = await build.ended;
        stop();
        cancel.dispose();
        channel.appendLine(built ? `Built ${build.tag}` : `${build.tag} was not built`);
      },
    );
  }

  /** Shows what the last build said. */
  show(): void {
    const channel = this.#log();
    channel.show(true);
  }

  #log(): vscode.OutputChannel {
    this.#channel ??= this.#disposables.add(vscode.window.createOutputChannel('Taskwright: Image Build'));
    return this.#channel;
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}
