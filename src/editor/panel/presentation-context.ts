import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { MAX_PICTURE_BYTES } from '../../runs/store/new-step.ts';
import type { ShownRun } from '../runs/shown-run.ts';
import type { CallValues } from '../values/values.ts';
import type { TooLarge } from './messages.ts';
import type { PresentationContext } from './present.ts';
import type { RunPage } from './run-page.ts';

/** What the presentation of a run reads from elsewhere: addresses of screenshots, and current lines of calls. */
export function presentationContext(
  run: ShownRun,
  values: CallValues,
  page: RunPage,
  pinned: boolean,
): PresentationContext {
  return {
    address: (screenshot) => {
      const dir = run.traceDir;
      if (dir === null) return '';
      const path = join(dir, screenshot);
      const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      const tooLarge: TooLarge = 'data:,too-large';
      return size > MAX_PICTURE_BYTES ? tooLarge : page.addressOf(vscode.Uri.file(path));
    },
    lineOf: (position) => values.rangeOf(run, position)?.start.line ?? null,
    pinned,
  };
}
