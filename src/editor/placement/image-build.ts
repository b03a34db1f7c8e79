import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ImageBuild } from '../../placement/docker/docker.ts';
import { Disposable } from '../lifecycle.ts';

/** Shows the build of an image: its output in an output channel, its progress in a notification that can cancel it. */
export class ImageBuilds extends Disposable {
  #channel: vscode.OutputChannel | undefined;

  follow(build: ImageBuild): void {
    const channel = this.#log();
    channel.clear();
    channel.appendLine(`Building ${build.tag}`);
    void vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: l10n.t('Building the Docker image for tasks'),
        cancellable: true,
      },
      async (progress, cancellation) => {
        let shownLines = 0;
        const stop = build.onLine((line, { step, steps, label }) => {
          channel.appendLine(line);
          if (step === shownLines || steps === 0) return;
          progress.report({
            message:
              label === null ? l10n.t('step {0} of {1}', step, steps) : l10n.t('{0} ({1} of {2})', label, step, steps),
            increment: ((step - shownLines) / steps) * 100,
          });
          shownLines = step;
        });
        const cancel = cancellation.onCancellationRequested(() => build.cancel());
        const { built } = await build.whenEnded;
        stop();
        cancel.dispose();
        channel.appendLine(built ? `Built ${build.tag}` : `Could not build ${build.tag}`);
      },
    );
  }

  /** Shows the output of the last build. */
  show(): void {
    this.#log().show(true);
  }

  #log(): vscode.OutputChannel {
    this.#channel ??= this.register(vscode.window.createOutputChannel(l10n.t('Taskwright: Image Build')));
    return this.#channel;
  }
}
