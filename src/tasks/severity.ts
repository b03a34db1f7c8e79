/**
 * - `error`: Taskwright cannot run the task, or the call would fail.
 * - `warning`: the task runs, but probably not as intended.
 * - `information`: valid, but this version does not run it; only Run rejects it.
 */
export type Severity = 'error' | 'warning' | 'information' | 'hint';
