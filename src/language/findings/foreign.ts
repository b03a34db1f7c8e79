import { isObject, type JsonObject } from '../../base/json.ts';
import { newProblem, type Problem } from '../../tasks/problem.ts';

/** A format of tasks that Taskwright knows but does not run. */
interface ForeignFormat {
  /** With its article: `an OSWorld task`. */
  readonly name: string;
  /** Returns the key that identifies a row of the format, or null. */
  identify(row: JsonObject): string | null;
  /** What to write so that the task runs here. */
  readonly hint: string;
}

const isText = (value: unknown): boolean => typeof value === 'string';

/** The first of the keys if a row has all of them. */
function keyOf(row: JsonObject, ...keys: readonly [string, ...string[]]): string | null {
  return keys.every((key) => key in row) ? keys[0] : null;
}

const WEBARENA_HINT =
  'write its "intent" as "prompt", the address of its site as "start_url", and its "eval" as evaluate calls such as contains_all or url_match';

/** Benchmarks of BrowserGym, as its names of tasks begin. */
const BROWSERGYM_NAME =
  /^(?:browsergym\/|(?:miniwob|webarena|webarenalite|webarena_verified|visualwebarena|workarena|assistantbench|weblinx|timewarp)\.)/;

/** In order: the first that identifies a row is its format. */
const FORMATS: readonly ForeignFormat[] = [
  {
    name: 'an OSWorld task',
    identify: (row) => (isObject(row['evaluator']) && isText(row['instruction']) ? 'evaluator' : null),
    hint: 'write its "instruction" as "prompt", add "gym": "OSWorld-Ubuntu", put its steps into "config": {"config": […]}, and write its "evaluator" as evaluate calls such as command_output_matches or file_contains',
  },
  {
    name: 'a VisualWebArena task',
    identify: (row) => (isObject(row['eval']) && 'image' in row ? keyOf(row, 'intent', 'sites') : null),
    hint: `${WEBARENA_HINT}; its pictures have no counterpart`,
  },
  {
    name: 'a WebArena task',
    identify: (row) => (isObject(row['eval']) ? keyOf(row, 'intent', 'sites') : null),
    hint: WEBARENA_HINT,
  },
  {
    name: 'a WebArena-Verified task',
    identify: (row) => (Array.isArray(row['eval']) ? keyOf(row, 'intent', 'start_urls') : null),
    hint: WEBARENA_HINT,
  },
  {
    name: 'a BrowserGym task',
    identify: (row) => {
      if ('benchmark' in row) return null;
      const { env_args: nested, task_name: name } = row;
      if (isObject(nested) && isText(nested['task_name'])) return 'env_args';
      return typeof name === 'string' && BROWSERGYM_NAME.test(name) ? 'task_name' : null;
    },
    hint: 'write its name in two keys, such as "benchmark": "miniwob" and "task_name": "click-test"',
  },
  {
    name: 'a Harbor task',
    identify: (row) =>
      isObject(row['environment']) && (isObject(row['verifier']) || isObject(row['agent'])) ? 'environment' : null,
    hint: 'write its instruction as "prompt", add "gym": {"type": "coding"} with its files, and run its tests/test.sh with an evaluate call such as tests_pass or command_succeeds',
  },
  {
    name: 'a Terminal-Bench task',
    identify: (row) =>
      isText(row['instruction'])
        ? (keyOf(row, 'parser_name') ?? keyOf(row, 'max_agent_timeout_sec') ?? keyOf(row, 'max_test_timeout_sec'))
        : null,
    hint: 'write its "instruction" as "prompt", add "gym": {"type": "coding"} with its files, and run its tests with an evaluate call such as tests_pass',
  },
  {
    name: 'a SWE-bench task',
    identify: (row) => keyOf(row, 'instance_id', 'problem_statement', 'base_commit'),
    hint: 'write its "problem_statement" as "prompt", add "gym": {"type": "coding", "git": …, "commit": …}, and run its tests with tests_pass',
  },
  {
    name: 'a WebVoyager task',
    identify: (row) => keyOf(row, 'ques', 'web'),
    hint: 'write its "ques" as "prompt" and its "web" as "start_url", and add evaluate calls, because it has none',
  },
  {
    name: 'an Online-Mind2Web task',
    identify: (row) => keyOf(row, 'task_description', 'website'),
    hint: 'write its "task_description" as "prompt" and its "website" as "start_url", and add evaluate calls, because it has none',
  },
  {
    name: 'a GAIA task',
    identify: (row) => keyOf(row, 'Question', 'Final answer'),
    hint: 'write its "Question" as "prompt", add "gym": "qa", and compare its "Final answer" with exact_match',
  },
];

/** Keys that only tasks of Taskwright, HUD, and the RFC have. */
const OWN_KEYS = ['gym', 'setup', 'evaluate', 'mcp_config', 'scenario', 'reward_function', 'reward_fn'];

/** One problem for a task in a format that Taskwright does not run, in place of a warning for each of its keys; or null. */
export function foreignTaskProblem(value: unknown): Problem | null {
  if (!isObject(value) || OWN_KEYS.some((key) => key in value)) return null;
  for (const { name, identify, hint } of FORMATS) {
    const key = identify(value);
    if (key === null) continue;
    const message = `This is ${name}, which Taskwright does not run as it is. To run it here, ${hint}`;
    return { part: 'key', ...newProblem('information', 'foreign-task', [key], message) };
  }
  return null;
}
