import type { DebugProtocol } from '@vscode/debugprotocol';
import { EXCEPTION_FILTERS } from './breakpoints.ts';

/** What a live run can and a recording cannot. */
export const LIVE_ONLY = ['supportsRestartFrame', 'supportsSetVariable', 'supportsSetExpression'] as const;
/** What a recording can and a live run cannot. */
export const REPLAY_ONLY = ['supportsStepBack', 'supportsGotoTargetsRequest'] as const;

/** Everything; what is not of the mode is taken back by an event once that is known. */
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
  // With it a client shows "Load More Stack Frames" at a stack of three.
  supportsDelayedStackTraceLoading: false,
  exceptionBreakpointFilters: EXCEPTION_FILTERS.map((filter) => ({
    ...filter,
    supportsCondition: true,
    conditionDescription: 'An expression, such as value < 0.5 or step >= 3',
  })),
};

export function without(lacking: readonly (keyof DebugProtocol.Capabilities)[]): DebugProtocol.Capabilities {
  return Object.fromEntries(lacking.map((name) => [name, false]));
}
