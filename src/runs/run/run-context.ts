import type { Placement } from '../../placement/placement.ts';
import type { RunListener } from '../events.ts';
import { Mask } from '../masking/mask.ts';
import { OrderedEvents } from './ordered-events.ts';
import type { RunPlan } from './plan.ts';
import { RunClock } from './run-clock.ts';
import { RunTrace } from './run-trace.ts';

/** What all parts of a run share. */
export interface RunContext {
  readonly plan: RunPlan;
  readonly placement: Placement;
  /** Null if nothing is masked. */
  readonly mask: Mask | null;
  readonly events: OrderedEvents;
  readonly clock: RunClock;
  readonly trace: RunTrace;
}

/** Creates the context of a run. Dispose of its clock at the end. */
export function createRunContext(
  plan: RunPlan,
  placement: Placement,
  listener: RunListener,
  signal: AbortSignal,
): RunContext {
  const mask = Mask.of(plan.task, plan.mask === true);
  const events = new OrderedEvents(mask === null ? listener : (event) => listener(mask.event(event)));
  const clock = new RunClock(signal, plan.limits?.timeout_ms);
  return { plan, placement, mask, events, clock, trace: new RunTrace(plan, placement, events, mask) };
}
