import type { DebugProtocol } from '@vscode/debugprotocol';
import { EXCEPTION_FILTERS } from './breakpoints.ts';

/** Capabilities of live runs only. */
export const LIVE_ONLY = ['supportsRestartFrame', 'supportsSetVariable', 'supportsSetExpression'] as const;
/** Capabilities of recorded runs only. */
export const REPLAY_ONLY = ['supportsStepBack', 'supportsGotoTargetsRequest'] as const;

/** All capabilities. An event withdraws those that the mode lacks as soon as the mode is known. */
export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsBreakpointLocationsRequest: true,
  supportsExceptionFilterOptions: true,
  supportsExceptionInfoRequest: true,
  supportsEvaluateForHovers: true,
  supportsCompletionsRequest: true,
  supportsSetVariable: true,
  supportsSetExpression: true,
  supportsRestartFrame: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsStepBack: true,
  supportsGotoTargetsRequest: true,
  // With this capability VS Code shows "Load More Stack Frames" below a stack of three.
  supportsDelayedStackTraceLoading: false,
  exceptionBreakpointFilters: EXCEPTION_FILTERS.map((filter) => ({
    ...filter,
    supportsCondition: true,
    conditionDescription: 'An expression, such as value < 0.5 or step >= 3',
  })),
};

export function withoutCapabilities(
  capabilities: readonly (keyof DebugProtocol.Capabilities)[],
): DebugProtocol.Capabilities {
  return Object.fromEntries(capabilities.map((name) => [name, false]));
}
