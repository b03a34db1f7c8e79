import type { Picture } from '../../environments/environment.ts';
import type { RunError, RunRecord, Step, TraceHeader } from '../store/trace.ts';

/** What a run tells those who watch it, in this order: started, phases and steps with frames between, ended. */
export type RunEvent =
  /** The trace exists on disk from here on. */
  | { readonly type: 'started'; readonly header: TraceHeader; readonly traceDir: string }
  /** `detail`: what is waited for while an environment is made. */
  | {
      readonly type: 'phase';
      readonly phase: 'environment' | 'setup' | 'agent' | 'evaluate';
      readonly detail?: string;
    }
  /** Said before an agent's action or a call is carried out, so that a watcher can show what is being done. */
  | { readonly type: 'doing'; readonly text: string }
  /** The step is on disk. */
  | { readonly type: 'step'; readonly step: Step }
  | { readonly type: 'frame'; readonly picture: Picture }
  | { readonly type: 'log'; readonly text: string }
  /** The person's functions were loaded: JSON Schema of the arguments of those that declare them, by name. */
  | { readonly type: 'functions'; readonly schemas: Readonly<Record<string, unknown>> }
  /** In a job: what it ran in broke, so it begins anew. What was told so far is about an attempt that does not count. */
  | { readonly type: 'retry'; readonly error: RunError }
  /** Something that was told before holds what is known as a secret by now: this is what stands there instead. */
  | { readonly type: 'hidden'; readonly header: TraceHeader; readonly steps: readonly Step[] }
  | { readonly type: 'ended'; readonly record: RunRecord };

export type RunListener = (event: RunEvent) => void;
