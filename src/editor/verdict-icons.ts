import * as vscode from 'vscode';
import type { VerdictKind } from '../presentation/runs/verdict.ts';
import { COLOR } from './names.ts';

const ICONS: Record<VerdictKind, readonly [icon: string, color: string | null]> = {
  none: ['circle-outline', null],
  running: ['loading~spin', null],
  paused: ['debug-pause', null],
  passed: ['pass', 'testing.iconPassed'],
  partial: ['circle-slash', COLOR.partial],
  failed: ['error', 'testing.iconFailed'],
  ungraded: ['question', COLOR.partial],
  error: ['issues', 'testing.iconErrored'],
  cancelled: ['stop-circle', 'testing.iconSkipped'],
  interrupted: ['debug-disconnect', COLOR.partial],
};

export function verdictIcon(kind: VerdictKind): vscode.ThemeIcon {
  const [icon, color] = ICONS[kind];
  return new vscode.ThemeIcon(icon, color === null ? undefined : new vscode.ThemeColor(color));
}

/** The icon as text for status bar items and CodeLenses. */
export function verdictSymbol(kind: VerdictKind): string {
  return `$(${ICONS[kind][0]})`;
}
