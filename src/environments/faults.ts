/** Who caused an error. An error of the agent counts as reward 0; other errors are not part of the mean reward. */
export interface Fault {
  /**
   * Before its first answer, nothing is the agent's fault. Errors between two answers are, except in setup and evaluate
   * calls, which may be the function's fault.
   */
  readonly side: 'agent after its first answer' | 'agent between its answer and the next' | 'error';
  /** Whether another attempt may succeed. */
  readonly retried: boolean;
}

const AGENT = { side: 'agent after its first answer', retried: false } as const satisfies Fault;
const BROKEN = { side: 'error', retried: true } as const satisfies Fault;
const ERROR = { side: 'error', retried: false } as const satisfies Fault;

/** All codes of errors that can end a run. docs/running.md explains them. */
export const FAULTS = {
  agent_absent: ERROR,
  agent_answer: AGENT,
  agent_broken: ERROR,
  agent_died: { ...AGENT, retried: true },
  agent_gone: AGENT,
  agent_missing: ERROR,
  agent_threw: AGENT,
  agent_unknown: ERROR,
  bad_file_name: ERROR,
  bad_files: ERROR,
  bad_host_config: ERROR,
  bad_limits: ERROR,
  bad_request: ERROR,
  bad_setting: ERROR,
  browser_crashed: BROKEN,
  browser_failed: BROKEN,
  browser_missing: ERROR,
  call_out_of_range: ERROR,
  call_returned_nothing: ERROR,
  call_threw: ERROR,
  call_timeout: ERROR,
  cancelled: ERROR,
  channel_broken: ERROR,
  channel_closed: ERROR,
  channel_tampered: ERROR,
  connection_gone: ERROR,
  container_create_failed: ERROR,
  container_died: BROKEN,
  container_start_failed: BROKEN,
  context_unreadable: ERROR,
  desktop_crashed: BROKEN,
  desktop_failed: BROKEN,
  desktop_missing: ERROR,
  docker_gone: BROKEN,
  docker_missing: ERROR,
  environment_failed: ERROR,
  environment_full: BROKEN,
  environment_lost: BROKEN,
  environment_unreached: BROKEN,
  folder_too_large: ERROR,
  folder_unreadable: ERROR,
  frame_malformed: ERROR,
  frame_too_large: { side: 'agent between its answer and the next', retried: false },
  image_build_cancelled: ERROR,
  image_build_failed: ERROR,
  image_unreachable: ERROR,
  internal_error: ERROR,
  invalid_arguments: ERROR,
  invalid_weight: ERROR,
  kubernetes_missing: ERROR,
  lane_lost: BROKEN,
  no_agent: ERROR,
  no_controller: ERROR,
  no_image: ERROR,
  no_page: ERROR,
  no_prompt: ERROR,
  no_room: ERROR,
  not_answered: ERROR,
  not_debugged: ERROR,
  not_inspected: ERROR,
  not_reached: ERROR,
  not_recorded: ERROR,
  not_reset: ERROR,
  out_of_memory: { side: 'agent between its answer and the next', retried: false },
  overlay_missing: ERROR,
  page_crashed: BROKEN,
  pages_missing: ERROR,
  placement_disposed: ERROR,
  reset_twice: ERROR,
  run_timeout: ERROR,
  server_died: BROKEN,
  server_ended: ERROR,
  server_not_understood: ERROR,
  server_start_failed: BROKEN,
  session_closed: ERROR,
  session_died: BROKEN,
  session_hung: ERROR,
  start_failed: ERROR,
  swarm_missing: ERROR,
  tampering: AGENT,
  task_failed: ERROR,
  task_gone: ERROR,
  trace_unwritable: ERROR,
  unknown_function: ERROR,
  unknown_method: ERROR,
  unknown_session: ERROR,
  unsupported_environment: ERROR,
  version_mismatch: ERROR,
  visited_page_crashed: AGENT,
} as const satisfies Readonly<Record<string, Fault>>;

export type ErrorCode = keyof typeof FAULTS;

/** The fault for a code; null for codes of other programs. */
export function faultOf(code: string): Fault | null {
  return Object.hasOwn(FAULTS, code) ? FAULTS[code as ErrorCode] : null;
}

/** Validates a code from another process; `internal_error` if it is unknown. */
export function toErrorCode(code: unknown): ErrorCode {
  return typeof code === 'string' && faultOf(code) !== null ? (code as ErrorCode) : 'internal_error';
}
