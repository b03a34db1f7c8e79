import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TooLarge } from '../../presentation/runs/messages.ts';
import type { PresentationContext } from '../../presentation/runs/present.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import { MAX_PICTURE_BYTES } from '../../traces/new-step.ts';
import type { CallValues } from '../values/values.ts';
import type { RunPage } from './run-page.ts';

/** What the presentation of a run reads from elsewhere: addresses of screenshots, and current lines of calls. */
export function presentationContext(
  run: ReadableRun,
  values: CallValues,
  page: RunPage,
  isPinned: boolean,
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
    pinned: isPinned,
  };
}
