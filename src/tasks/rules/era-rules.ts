// biome-ignore-all lint/suspicious/noTemplateCurlyInString: HUD's variables look like that
import type { Rules } from './rule.ts';

const v4 = (more: string) =>
  `[{ "prompt": "Count to 3.", "mcp_config": {"local": {"command": "docker", "args": ["run", "-i", "count:1"]}}, "evaluate_tool": {"name": "evaluate"}, ${more} }]`;
const v4Url = (url: string) =>
  `[{ "prompt": "Count to 3.", "mcp_config": {"hud": {"url": "${url}"}}, "evaluate_tool": {"name": "evaluate"} }]`;
const v5 = (more: string) => `{ "env": {"name": "count"}, "scenario": "count-to", ${more} }`;
const v6 = (more: string) => `{ "env": "count", "id": "count-to", ${more} }`;

/** Rules for what the models of HUD 0.4, 0.5, and 0.6 reject or read differently than intended. */
export const eraRules = {
  'era-not-run': {
    title: 'Task of a HUD release that this version does not run',
    severity: 'information',
    why: 'Taskwright validates tasks of HUD 0.4, 0.5, and 0.6 against the models of their last releases (0.4.74, 0.5.41, 0.6.21). This version does not run those of HUD 0.5 whose server is not known, and those of HUD 0.6 with a Compose project that is not in a file or asks for access to Docker.',
    fix: 'For HUD 0.5, write the "url" or the "command" of the server into "env", or put env.py next to the file. For HUD 0.6, write the path of the Compose file, and leave out "service_access".',
    bad: v6('"runtime_config": {"compose": {"document": "compose.yaml", "service_access": true}}'),
    good: '{ "id": "count", "prompt": "Count to 3.", "gym": "qa", "evaluate": ["response_includes", "1 2 3"] }',
  },
  'foreign-task': {
    title: 'Task of another format',
    severity: 'information',
    why: 'The keys are those of a task of OSWorld, WebArena, VisualWebArena, WebArena-Verified, BrowserGym, Harbor, Terminal-Bench, SWE-bench, WebVoyager, Online-Mind2Web, or GAIA. Taskwright does not run these formats as they are, so it reports the format once and none of its keys.',
    fix: 'Write the task with the keys that the message names.',
    bad: '[{ "task_id": 7, "sites": ["shop"], "start_url": "__SHOP__", "intent": "Find the price of tea.", "eval": { "eval_types": ["string_match"], "reference_answers": { "must_include": ["3.50"] } } }]',
    good: '[{ "id": "7", "prompt": "Find the price of tea.", "start_url": "https://shop.example/", "gym": "hud-browser", "evaluate": ["response_includes", "3.50"] }]',
  },
  'unknown-template': {
    title: 'Template that the environment does not have',
    severity: 'error',
    why: 'The environment of a task of HUD 0.6 says which templates it has. The editor asks it in a trusted workspace, and asks again when a Python file of the environment changes. HUD refuses to start a template that is not among them.',
    fix: 'Write the id of one of the templates, or add the template to the environment.',
  },
  'template-argument': {
    title: 'Argument that the template does not take',
    severity: 'error',
    why: 'The environment of a task of HUD 0.6 says which arguments each template takes. HUD refuses to start a template without a required argument, or with one that it does not have. A value of another type is a warning, because HUD passes it as it is if it cannot convert it.',
    fix: 'Write the arguments that the message names.',
  },
  'hud-file': {
    title: 'File that HUD does not read',
    severity: 'warning',
    why: 'The tasks are valid, but the HUD release that runs them does not read this kind of file: no release reads YAML, HUD 0.4 and 0.5 read a list of tasks, and HUD 0.6.21 reads {"tasks": [...]} as one task and rejects it, which is an error.',
    fix: 'Write only the list of tasks to a .json file, or one task per line to a .jsonl file.',
    bad: { file: 'count.tasks.json', text: `{ "name": "counting", "tasks": [${v6('"args": {"target": 3}')}] }` },
    good: { file: 'count.tasks.json', text: `[${v6('"args": {"target": 3}')}]` },
  },
  'line-separator': {
    title: 'Character that ends a line in Python',
    severity: 'error',
    why: 'HUD 0.6.21 splits JSON Lines with Python’s `splitlines`, which also ends a line at U+0085, U+2028, and U+2029, even inside a string. Neither half is valid JSON.',
    fix: 'Write the character as an escape sequence: `\\u2028`.',
    bad: { file: 'count.tasks.jsonl', text: `${v6('"slug": "a\u2028b"')}\n` },
    good: { file: 'count.tasks.jsonl', text: `${v6('"slug": "a\\u2028b"')}\n` },
  },
  'wrong-type': {
    title: 'Wrong type',
    severity: 'error',
    why: 'The model of this HUD release rejects the value when it reads the file. Where it expects a number it also accepts a string of digits, but never a number for a string, and null only where it is explicitly allowed.',
    fix: 'Write a value of the type that the message names.',
    bad: v6('"args": null'),
    good: v6('"args": {}'),
  },
  'wrong-value': {
    title: 'Value that HUD rejects',
    severity: 'error',
    why: 'The type is correct, but the value violates a constraint of the model: it is empty, too long, too small, or contradicts another value.',
    fix: 'Write a value that satisfies the message.',
    bad: v6('"runtime_config": {"limits": {"run_timeout_s": 0}}'),
    good: v6('"runtime_config": {"limits": {"run_timeout_s": 60}}'),
  },
  'missing-field': {
    title: 'Missing required member',
    severity: 'error',
    why: 'The model of this HUD release rejects the row without it.',
    fix: 'Add the member that the message names.',
    bad: '{ "env": "count", "args": {} }',
    good: v6('"args": {}'),
  },
  'json-text': {
    title: 'String that is not valid JSON',
    severity: 'error',
    why: 'HUD 0.4 also accepts objects as JSON strings, as datasets store them. This string is not valid JSON, so HUD fails to read the row.',
    fix: 'Write the object itself, or correct the JSON.',
    bad: v4('"metadata": "{level"'),
    good: v4('"metadata": {"level": 1}'),
  },
  'tool-shorthand': {
    title: 'Tool call shorthand that HUD rejects',
    severity: 'error',
    why: 'The documentation of HUD 0.4 shows {"navigate": {"url": ...}} for a call of the tool `navigate`. Its code rejects this form up to 0.5.41 (“name: Field required”).',
    fix: 'Write {"name": "navigate", "arguments": {...}}.',
    bad: v4('"setup_tool": {"navigate": {"url": "http://shop.example"}}'),
    good: v4('"setup_tool": {"name": "navigate", "arguments": {"url": "http://shop.example"}}'),
  },
  placeholder: {
    title: 'Dollar sign that is not a variable',
    severity: 'error',
    why: 'HUD substitutes environment variables in every string of "mcp_config" with Python’s `string.Template`, which fails at a `$` that starts no variable, in 0.4 and 0.5.',
    fix: 'Write `$$` for a dollar sign, or `$NAME` or `${NAME}` for a variable.',
    bad: v4Url('http://shop.example/?price=$5'),
    good: v4Url('http://shop.example/?price=$$5'),
  },
  'placeholder-default': {
    title: 'Variable with a default value',
    severity: 'error',
    why: 'The documentation of HUD 0.4 and 0.5 describes `${NAME:default}`, but the code rejects it (“Invalid placeholder in string”). A variable that is not set is empty.',
    fix: 'Write `${NAME}`, or the value itself.',
    bad: v4Url('${SERVER:http://localhost:8765/mcp}'),
    good: v4Url('${SERVER}'),
  },
  'no-server': {
    title: 'No MCP server',
    severity: 'warning',
    why: 'HUD 0.4 accepts an empty "mcp_config", but then the agent has no environment. HUD 0.5.41 does not read such a row as a HUD 0.4 task.',
    fix: 'Add a server with a "url", or with a "command" and its "args".',
    bad: '[{ "prompt": "Count to 3.", "mcp_config": {}, "evaluate_tool": {"name": "evaluate"} }]',
    good: v4('"metadata": {}'),
  },
  'mcp-server': {
    title: 'MCP server that cannot start',
    severity: 'warning',
    why: 'Each member of "mcp_config" is a server: an object with a "url", or with a "command" and its "args". HUD accepts anything here and fails when the task starts.',
    fix: 'Write one of the two forms.',
    bad: '[{ "prompt": "Count to 3.", "mcp_config": {"local": "count:1"}, "evaluate_tool": {"name": "evaluate"} }]',
    good: v4('"metadata": {}'),
  },
  'mcp-url': {
    title: 'Server address that HUD 0.5 rejects',
    severity: 'warning',
    why: 'HUD 0.5.41 rejects a server address that does not start with http (“Invalid URL”). HUD 0.4 fails when it connects.',
    fix: 'Start the address with http:// or https://.',
    bad: v4Url('localhost:8765/mcp'),
    good: v4Url('http://localhost:8765/mcp'),
  },
  'evaluate-tool-ignored': {
    title: 'Evaluate tool whose result is ignored',
    severity: 'warning',
    why: 'HUD 0.4 calls every evaluate tool of a list but takes the reward only from the first one.',
    fix: 'Keep one tool, or combine the tools in the environment.',
    bad: '[{ "prompt": "Count to 3.", "mcp_config": {"hud": {"url": "http://localhost:8765/mcp"}}, "evaluate_tool": [{"name": "first"}, {"name": "second"}] }]',
    good: v4('"metadata": {}'),
  },
  'scenario-name': {
    title: 'Invalid scenario name',
    severity: 'warning',
    why: 'A scenario of HUD 0.5 is named "name" or "environment:name", and names contain no colon. The model accepts this row, but the scenario is not found when the task starts.',
    fix: 'Write the name of the scenario.',
    bad: '{ "env": {"name": "count"}, "scenario": "count:to:3" }',
    good: v5('"args": {}'),
  },
  'no-scenario': {
    title: 'Missing scenario',
    severity: 'warning',
    why: 'HUD 0.5 accepts a row without a scenario, but then there is neither a prompt nor a grade.',
    fix: 'Add the name of the scenario.',
    bad: '{ "env": {"name": "count"}, "scenario": "" }',
    good: v5('"args": {}'),
  },
  'scenario-dropped': {
    title: 'Row of two eras',
    severity: 'warning',
    why: 'HUD 0.5.41 reads every row with "prompt" and "mcp_config" as a HUD 0.4 task, and silently drops "env" and "scenario".',
    fix: 'Keep the members of one era.',
    bad: v4('"env": {"name": "count"}, "scenario": "count-to"'),
    good: v5('"args": {}'),
  },
} satisfies Rules;
