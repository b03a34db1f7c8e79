import * as z from 'zod';
import { HELD_KEYS, type ManualGesture } from '../../agents/manual-input.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { jsonSchema } from '../../base/json-validator.ts';
import type { Acted, OpenDialog, PageMessage, StepInfo } from '../../environments/environment.ts';
import type { KindView } from '../../environments/kind.ts';
import type { RunStatus } from '../../results/status.ts';
import type { Step } from '../../traces/trace.ts';

export type { Point } from '../../actions/action.ts';
export type { HeldKey, ManualGesture } from '../../agents/manual-input.ts';
export type { Acted } from '../../environments/environment.ts';

/**
 * The messages between the run panel and the extension. Messages of the page are parsed before use. This file is loaded with
 * the first panel.
 */

type StepFacts = Required<StepInfo>;

export type PanelStatus = RunStatus | 'starting' | 'running' | 'paused';

export interface PanelCall {
  readonly function: string;
  /** `page_contains("Order placed")` */
  readonly text: string;
  /** One-based line in the task file; null if the call is no longer in it. */
  readonly line: number | null;
}

/** The text of one answer of a model, and its tool calls. */
export interface PanelTurn {
  readonly message: string | null;
  readonly reasoning: string | null;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly model: string | null;
  /** `1,200 tokens in, 80 out`; `$0.0123`. */
  readonly usage: readonly string[];
  readonly citations: readonly string[];
}

export interface PanelStep {
  readonly index: number;
  readonly source: Step['source'];
  readonly durationMs: number;
  /** Printed action or call, for the list: verb `click`, object `“Apply”`. */
  readonly verb: string;
  readonly object: string;
  readonly call: PanelCall | null;
  /** The value of an evaluate call, or the environment's own reward for an agent step. */
  readonly value: number | null;
  readonly reason: string | null;
  readonly error: string | null;
  readonly terminated: boolean;
  readonly acted: readonly Acted[];
  readonly messages: readonly PageMessage[];
  /** The dialog of the page that is open after the step. */
  readonly dialog?: OpenDialog;
  readonly url: string | null;
  readonly title: string | null;
  readonly viewport: StepFacts['viewport'] | null;
  readonly windows?: StepFacts['windows'];
  readonly timing: StepFacts['timing'] | null;
  /** The commands of the step with their output. `exitCode` is null if a signal ended the command. */
  readonly outputs: readonly {
    readonly command: string;
    readonly output: string;
    readonly exitCode: number | null;
    readonly timedOut: boolean;
    readonly durationMs: number;
  }[];
  /**
   * Files changed since the task started; null if the step does not report them. `readable`: a diff is recorded. `note`: a
   * new mode (`mode 644 → 755`), or the target of a link (`→ src/main.py`).
   */
  readonly changes:
    | readonly {
        readonly path: string;
        readonly kind: 'added' | 'changed' | 'removed';
        readonly readable: boolean;
        readonly note?: string;
      }[]
    | null;
  /** The parts of an evaluate call's value, such as the tests of a report. */
  readonly parts: readonly { readonly name: string; readonly value: number; readonly reason: string }[];
  /** URI that the page can load, or null; `TooLarge` for a screenshot that is not loaded. */
  readonly screenshot: string | null;
  readonly hasText: boolean;
  /** In imported traces: the kind of a line that is neither an answer of the run's agent nor a call of the task. */
  readonly part?: 'tool' | 'subagent' | 'prompt';
  /** Nesting depth in sub-agents. Absent for lines of the run's agent. */
  readonly depth?: number;
  readonly turn?: PanelTurn;
}

/** Replaces the URI of a screenshot that is too large to show. */
export type TooLarge = 'data:,too-large';

export interface PanelVerdict {
  readonly reward: number | null;
  readonly success: boolean;
  readonly truncated: boolean;
  readonly error: { readonly message: string; readonly code: string; readonly line: number | null } | null;
  /** What the run reports beside its reward, such as files that the task lacks. */
  readonly warnings?: readonly string[];
  readonly subscores: readonly {
    readonly call: PanelCall;
    readonly value: number | null;
    readonly weight: number;
    readonly reason: string;
    /** Index of the evaluate step. */
    readonly step: number | null;
  }[];
}

/** Everything that the page needs to render a run. */
export interface PanelRun {
  readonly runId: string;
  /** The folder of the run, or null before it is recorded. The page stores it to find the run after a reload. */
  readonly traceDir: string | null;
  readonly task: string;
  readonly prompt: string;
  /** File name, for the title's tooltip. */
  readonly file: string;
  readonly environment: string;
  readonly view: KindView;
  readonly placement: string;
  /** Whether another program made the run. */
  readonly imported: boolean;
  /** The host of its environment, if there are several. */
  readonly host: string | null;
  readonly agent: string;
  readonly seed: number;
  readonly status: PanelStatus;
  /** The errors of earlier attempts, oldest first: their browser, environment, or agent crashed. */
  readonly retried: readonly string[];
  readonly startedAt: string;
  readonly durationMs: number | null;
  readonly steps: readonly PanelStep[];
  readonly verdict: PanelVerdict | null;
  readonly pinned: boolean;
  /** It has ended and is recorded, so it can be re-scored after each step. */
  readonly rescorable: boolean;
  /** The address of the MCP server at which the run waits for an external agent, or null. */
  readonly waitingAt: string | null;
  /** It is in progress in another process. Only that process knows its phase and can stop it. */
  readonly elsewhere: boolean;
  /** The user is the agent. */
  readonly manual: boolean;
  /** JSON Schema of an action while the user acts, if the environment publishes one. */
  readonly actions: JsonObject | null;
}

/** The rewards of a run after each step with the current task. */
export interface PanelCurve {
  readonly calls: readonly { readonly text: string }[];
  /** `values`: of each call; null if it cannot be decided from the recording. */
  readonly points: readonly {
    readonly index: number;
    readonly reward: number | null;
    readonly values: readonly (number | null)[];
  }[];
  /** Why there is no curve. */
  readonly problem: string | null;
}

export type HostMessage =
  /** `select`: the step to show; null follows the newest. `live`: frames follow. */
  | { readonly type: 'run'; readonly run: PanelRun; readonly select: number | null; readonly live: boolean }
  | { readonly type: 'phase'; readonly text: string }
  | { readonly type: 'doing'; readonly text: string }
  | { readonly type: 'step'; readonly step: PanelStep }
  | { readonly type: 'frame'; readonly width: number; readonly height: number; readonly data: ArrayBuffer }
  | { readonly type: 'ended'; readonly run: PanelRun; readonly select: number | null }
  | { readonly type: 'select'; readonly index: number }
  /** Text that the user typed and that was not sent to the environment yet. */
  | { readonly type: 'typing'; readonly text: string }
  | { readonly type: 'pinned'; readonly pinned: boolean }
  /** Response to `text`: observations of a step and of the step before it, as text and, if they have it, as data. */
  | {
      readonly type: 'text';
      readonly index: number;
      readonly text: string | null;
      readonly before: string | null;
      readonly data: Json | null;
      readonly dataBefore: Json | null;
    }
  /** Response to `curve`; null if the user cancelled. */
  | { readonly type: 'curve'; readonly runId: string; readonly curve: PanelCurve | null }
  /** Response to `raw`. */
  | { readonly type: 'raw'; readonly index: number; readonly json: Json }
  /** Why the run cannot be shown. */
  | { readonly type: 'failed'; readonly message: string };

const index = z.number().int().min(0);

const pixel = z.number().int().min(0).max(100_000);
const point = z.object({ x: pixel, y: pixel });
const heldKeys = z.array(z.enum(HELD_KEYS)).max(HELD_KEYS.length);
const scrollDistance = z.number().int().min(-100_000).max(100_000);

const gestureSchema: z.ZodType<ManualGesture> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('click'),
    point,
    button: z.enum(['left', 'right', 'middle']),
    count: z.number().int().min(1).max(3),
    hold: heldKeys,
  }),
  z.object({ kind: z.literal('scroll'), point, x: scrollDistance, y: scrollDistance, hold: heldKeys }),
  z.object({ kind: z.literal('drag'), path: z.array(point).min(2).max(10_000), hold: heldKeys }),
  z.object({ kind: z.literal('text'), text: z.string().min(1).max(100_000) }),
  z.object({ kind: z.literal('key'), keys: z.array(z.string().min(1).max(32)).min(1).max(5) }),
]);

/** The messages of the page. Anything else is dropped and logged. */
export const panelMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.enum(['rerun', 'cancel', 'openTrace']) }),
  z.object({ type: z.literal('selected'), index: index.nullable() }),
  z.object({ type: z.literal('text'), index }),
  z.object({ type: z.literal('raw'), index }),
  /** Shows the diff of a file between the start of the task and this step. */
  z.object({ type: z.literal('openChange'), index, path: z.string().min(1).max(4096) }),
  /** Shows the call of a step in the task file. */
  z.object({ type: z.literal('reveal'), index }),
  /** Opens a file of the task's folder at a one-based line. */
  z.object({ type: z.literal('openFile'), path: z.string().min(1).max(1000), line: z.number().int().min(1) }),
  /** Shows a one-based line of the task file, for a run error or a call without a step. */
  z.object({ type: z.literal('revealLine'), line: z.number().int().min(1) }),
  z.object({ type: z.literal('pin'), pinned: z.boolean() }),
  /** Re-scores the recorded run after each step. */
  z.object({ type: z.literal('curve') }),
  /** The person did something in the live picture. */
  z.object({ type: z.literal('hand'), input: gestureSchema }),
  /** The user who acts manually wants to answer, to write an action, or is done. */
  z.object({ type: z.literal('answer') }),
  z.object({ type: z.literal('act') }),
  z.object({ type: z.literal('done') }),
  /** The user answers the open dialog of the page. */
  z.object({ type: z.literal('answerDialog'), accept: z.boolean(), text: z.string().max(100_000).nullable() }),
  /** An action in the environment's own form. */
  z.object({ type: z.literal('perform'), action: z.record(z.string(), jsonSchema) }),
  /** Copies what an external agent needs to connect to the run. */
  z.object({ type: z.literal('copyForAgent'), what: z.enum(['address', 'token', 'configuration']) }),
  /** Saves the actions of the run as the task's solution. */
  z.object({ type: z.literal('saveSolution') }),
  /** Whether the page shows the live view. */
  z.object({ type: z.literal('live'), on: z.boolean() }),
  /** The last frame is drawn. */
  z.object({ type: z.literal('drawn') }),
]);
export type PanelMessage = z.infer<typeof panelMessageSchema>;

/** The state of the page that VS Code restores after a window reload. */
export const panelStateSchema = z.object({
  traceDir: z.string().min(1),
  select: index.nullable(),
  tab: z.string(),
  picture: z.string(),
});
export type PanelState = z.infer<typeof panelStateSchema>;
