// biome-ignore-all lint/suspicious/noTemplateCurlyInString: HUD's variables look like that
import type { Rules } from './rule.ts';

const v4 = (more: string) =>
  `[{ "prompt": "Count to 3.", "mcp_config": {"local": {"command": "docker", "args": ["run", "-i", "count:1"]}}, "evaluate_tool": {"name": "evaluate"}, ${more} }]`;
const v4Url = (url: string) =>
  `[{ "prompt": "Count to 3.", "mcp_config": {"hud": {"url": "${url}"}}, "evaluate_tool": {"name": "evaluate"} }]`;
const v5 = (more: string) => `{ "env": {"name": "count"}, "scenario": "count-to", ${more} }`;
const v6 = (more: string) => `{ "env": "count", "id": "count-to", ${more} }`;

/** What the models of HUD 0.4, 0.5 and 0.6 refuse, and what those releases surely do otherwise than meant. */
export const eraRules: Rules = {
  'era-not-run': {
    title: 'A task of a HUD that this version does not run',
    severity: 'information',
    why: 'Tasks of HUD 0.4, 0.5 and 0.6 are recognised and judged by the model of their last release (0.4.74, 0.5.41, 0.6.21). This version of Taskwright does not run them.',
    mend: 'Nothing is wrong with the task.',
    bad: v6('"args": {"target": 3}'),
    good: '{ "id": "count", "prompt": "Count to 3.", "gym": "qa", "evaluate": ["response_includes", "1 2 3"] }',
  },
  'hud-file': {
    title: 'A file that HUD does not read',
    severity: 'warning',
    why: 'The tasks are well written, and the HUD that runs them does not read this kind of file: none reads YAML, HUD 0.4 and 0.5 read a list of tasks, and HUD 0.6.21 takes {"tasks": [...]} for one task and refuses it, which is an error.',
    mend: 'Write the list of tasks alone, in a .json file, or one task a line in a .jsonl file.',
    bad: { file: 'count.tasks.json', text: `{ "name": "counting", "tasks": [${v6('"args": {"target": 3}')}] }` },
    good: { file: 'count.tasks.json', text: `[${v6('"args": {"target": 3}')}]` },
  },
  'line-separator': {
    title: 'A character that ends a line in Python',
    severity: 'error',
    why: 'HUD 0.6.21 divides JSON lines with Python’s `splitlines`, which also ends a line at U+0085, U+2028 and U+2029, even inside of a text. The two halves are no JSON.',
    mend: 'Write the character as an escape: `\\u2028`.',
    bad: { file: 'count.tasks.jsonl', text: `${v6('"slug": "a\u2028b"')}\n` },
    good: { file: 'count.tasks.jsonl', text: `${v6('"slug": "a\\u2028b"')}\n` },
  },
  'wrong-type': {
    title: 'A value of the wrong type',
    severity: 'error',
    why: 'The model of this HUD refuses the value when it reads the file. Numbers may be written as texts there, texts never as numbers, and null is taken only where it is said to be.',
    mend: 'Write a value of the type that is named.',
    bad: v6('"args": null'),
    good: v6('"args": {}'),
  },
  'wrong-value': {
    title: 'A value that HUD refuses',
    severity: 'error',
    why: 'The type is right, and the value breaks a rule of the model: empty, too long, too small, or in contradiction to another.',
    mend: 'Write a value as the message says.',
    bad: v6('"runtime_config": {"limits": {"run_timeout_s": 0}}'),
    good: v6('"runtime_config": {"limits": {"run_timeout_s": 60}}'),
  },
  'missing-field': {
    title: 'A required member is missing',
    severity: 'error',
    why: 'The model of this HUD refuses the row without it.',
    mend: 'Add the member that is named.',
    bad: '{ "env": "count", "args": {} }',
    good: v6('"args": {}'),
  },
  'json-text': {
    title: 'A text that should be JSON',
    severity: 'error',
    why: 'HUD 0.4 takes objects also as the text of their JSON, as datasets store them. This text is no JSON, and reading the row fails.',
    mend: 'Write the object itself, or mend the JSON in the text.',
    bad: v4('"metadata": "{level"'),
    good: v4('"metadata": {"level": 1}'),
  },
  'tool-shorthand': {
    title: 'A short form of a tool call that HUD refuses',
    severity: 'error',
    why: 'The documentation of HUD 0.4 shows {"navigate": {"url": ...}} for a call of the tool `navigate`; its code refuses it up to 0.5.41 (“name: Field required”).',
    mend: 'Write {"name": "navigate", "arguments": {...}}.',
    bad: v4('"setup_tool": {"navigate": {"url": "http://shop.example"}}'),
    good: v4('"setup_tool": {"name": "navigate", "arguments": {"url": "http://shop.example"}}'),
  },
  placeholder: {
    title: 'A dollar sign that is no variable',
    severity: 'error',
    why: 'HUD fills environment variables into every text of "mcp_config" with Python’s `string.Template`. A `$` that begins no variable makes it fail, in 0.4 and 0.5.',
    mend: 'Write `$$` for a dollar sign, `$NAME` or `${NAME}` for a variable.',
    bad: v4Url('http://shop.example/?price=$5'),
    good: v4Url('http://shop.example/?price=$$5'),
  },
  'placeholder-default': {
    title: 'A variable with a default',
    severity: 'error',
    why: 'The documentation of HUD 0.4 and 0.5 describes `${NAME:default}`; the code refuses it (“Invalid placeholder in string”). A variable that is not set is empty.',
    mend: 'Write `${NAME}`, or the value itself.',
    bad: v4Url('${SERVER:http://localhost:8765/mcp}'),
    good: v4Url('${SERVER}'),
  },
  'no-server': {
    title: 'No MCP server',
    severity: 'warning',
    why: 'HUD 0.4 accepts an empty "mcp_config", and then there is no environment to act in. HUD 0.5.41 does not take such a row for a task of HUD 0.4.',
    mend: 'Name a server with a "url", or a "command" and its "args".',
    bad: '[{ "prompt": "Count to 3.", "mcp_config": {}, "evaluate_tool": {"name": "evaluate"} }]',
    good: v4('"metadata": {}'),
  },
  'mcp-server': {
    title: 'A server that cannot be started',
    severity: 'warning',
    why: 'Each member of "mcp_config" is a server: an object with a "url", or a "command" and its "args". HUD accepts anything here and fails when the task starts.',
    mend: 'Write one of the two.',
    bad: '[{ "prompt": "Count to 3.", "mcp_config": {"local": "count:1"}, "evaluate_tool": {"name": "evaluate"} }]',
    good: v4('"metadata": {}'),
  },
  'mcp-url': {
    title: 'A server address that HUD 0.5 refuses',
    severity: 'warning',
    why: 'HUD 0.5.41 refuses a server address that does not begin with http (“Invalid URL”); HUD 0.4 fails when it connects.',
    mend: 'Write the address with http:// or https://.',
    bad: v4Url('localhost:8765/mcp'),
    good: v4Url('http://localhost:8765/mcp'),
  },
  'evaluate-tool-ignored': {
    title: 'An evaluate tool whose result nobody reads',
    severity: 'warning',
    why: 'HUD 0.4 calls every evaluate tool of a list and takes the reward from the first one only.',
    mend: 'Keep one, or combine the checks in the environment.',
    bad: '[{ "prompt": "Count to 3.", "mcp_config": {"hud": {"url": "http://localhost:8765/mcp"}}, "evaluate_tool": [{"name": "first"}, {"name": "second"}] }]',
    good: v4('"metadata": {}'),
  },
  'scenario-name': {
    title: 'A scenario name that cannot exist',
    severity: 'warning',
    why: 'A scenario of HUD 0.5 is named "name" or "environment:name", and names hold no colon. The model accepts this row, and the scenario is not found when the task starts.',
    mend: 'Write the name of the scenario.',
    bad: '{ "env": {"name": "count"}, "scenario": "count:to:3" }',
    good: v5('"args": {}'),
  },
  'no-scenario': {
    title: 'No scenario',
    severity: 'warning',
    why: 'HUD 0.5 accepts a row without a scenario; then there is neither a prompt nor a judgement.',
    mend: 'Name the scenario.',
    bad: '{ "env": {"name": "count"}, "scenario": "" }',
    good: v5('"args": {}'),
  },
  'scenario-dropped': {
    title: 'A row of two eras',
    severity: 'warning',
    why: 'HUD 0.5.41 takes every row with "prompt" and "mcp_config" for a task of HUD 0.4 and drops "env" and "scenario" without a word.',
    mend: 'Keep the members of one era.',
    bad: v4('"env": {"name": "count"}, "scenario": "count-to"'),
    good: v5('"args": {}'),
  },
};
