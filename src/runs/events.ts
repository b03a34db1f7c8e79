import type { AgentAddress } from '../agents/agent-kind.ts';
import type { Picture, StartResult } from '../environments/environment.ts';
import type { ModelTurn } from '../traces/model-turn.ts';
import type { RunError, RunRecord, Step, TraceHeader } from '../traces/trace.ts';

/** Events of a run, in this order: started; phases, steps, and frames; ended. */
export type RunEvent =
  /** The trace now exists on disk. */
  | { readonly type: 'started'; readonly header: TraceHeader; readonly traceDir: string }
  /** `detail`: progress of starting an environment. */
  | {
      readonly type: 'phase';
      readonly phase: 'environment' | 'setup' | 'agent' | 'evaluate';
      readonly detail?: string;
    }
  /** The environment of the run has started on this host, of several. */
  | { readonly type: 'host'; readonly host: string }
  /** Emitted before an action or a call is carried out. */
  | { readonly type: 'doing'; readonly text: string }
  /** The step is on disk. */
  | { readonly type: 'step'; readonly step: Step }
  /** The parts of a model's current turn so far; its step has all of it. */
  | { readonly type: 'turn'; readonly turn: ModelTurn }
  | { readonly type: 'frame'; readonly picture: Picture }
  | { readonly type: 'log'; readonly text: string }
  /** The run waits for an external agent; with null, not any more. */
  | { readonly type: 'waiting'; readonly address: AgentAddress | null }
  /** User-defined functions were loaded: JSON Schemas of their arguments by name, for those that declare them. */
  | { readonly type: 'functions'; readonly schemas: Readonly<Record<string, unknown>> }
  /** JSON Schema of an action, if the environment publishes one. */
  | { readonly type: 'actions'; readonly schema: NonNullable<StartResult['actions']> }
  /** In a job: the environment failed, so another attempt begins. Earlier events belong to the failed attempt. */
  | { readonly type: 'retry'; readonly error: RunError }
  /** Earlier events contain text that is now known to be secret. These masked versions replace them. */
  | { readonly type: 'hidden'; readonly header: TraceHeader; readonly steps: readonly Step[] }
  | { readonly type: 'ended'; readonly record: RunRecord };

export type RunListener = (event: RunEvent) => void;
