import type { Rules } from './rule.ts';

const jsonl = (text: string) => ({ file: 'shop.tasks.jsonl', text });
const yaml = (text: string) => ({ file: 'shop.task.yaml', text });
const python = (text: string) => ({ file: 'tasks.py', text });
const PYTHON_TASK = python(
  'from hud import Task\n\ntask = Task(prompt="What is the capital of France?", gym="qa", evaluate=("response_is", "Paris"))\n',
);
const QA =
  '{ "id": "capital", "prompt": "What is the capital of France?", "gym": "qa", "evaluate": ["response_is", "Paris"] }';

/** Rules for the text of a file. */
export const fileRules = {
  syntax: {
    title: 'Syntax error',
    severity: 'error',
    why: 'The text breaks the rules of its format: a bracket, comma, or quotation mark is missing or superfluous. Values before the error may still be read, values after it may not.',
    fix: 'Correct the text at the marked position. If several positions are marked, start with the first one: the others are often consequences of it.',
    bad: QA.replace(' "evaluate"', ' "evaluate'),
    good: QA,
  },
  comment: {
    title: 'Comment in JSON',
    severity: 'error',
    why: 'JSON has no comments. VS Code allows them in some of its own files, but HUD, Taskwright, and other JSON parsers do not.',
    fix: 'Remove the comment, move its text to "description", or write the tasks in YAML, which has comments.',
    bad: QA.replace('{', '{ // the first one\n '),
    good: QA,
  },
  'trailing-comma': {
    title: 'Trailing comma',
    severity: 'error',
    why: 'JSON does not allow a comma after the last member of an object or the last item of a list.',
    fix: 'Remove the comma.',
    bad: QA.replace(' }', ', }'),
    good: QA,
  },
  'duplicate-key': {
    title: 'Duplicate key',
    severity: 'warning',
    why: 'If an object has two members with the same key, the last one wins, in HUD too. The first value is silently lost. Python rejects a repeated keyword argument.',
    fix: 'Remove the member that you do not need.',
    bad: QA.replace('"gym"', '"prompt": "And of Spain?", "gym"'),
    good: QA,
  },
  'number-not-finite': {
    title: 'Number that is not finite',
    severity: 'error',
    why: 'Numbers such as 1e999, .inf, or NaN cannot be stored or compared reliably.',
    fix: 'Write a finite number, or a string.',
    bad: yaml(
      'id: a\nprompt: Buy a mug.\ngym: hud-browser\nevaluate: [element_exists, "#done"]\nmetadata: {limit: .inf}\n',
    ),
    good: yaml(
      'id: a\nprompt: Buy a mug.\ngym: hud-browser\nevaluate: [element_exists, "#done"]\nmetadata: {limit: 1000}\n',
    ),
  },
  'number-not-exact': {
    title: 'Number that is not exact',
    severity: 'error',
    why: 'JavaScript, in which Taskwright is written, keeps about 16 digits of a number: most integers above 2^53 are rounded, and 1e-400 becomes 0. All digits are kept in an id and in the arguments of HUD’s Python programs. In metadata it is only a warning, because nothing calculates with the number, but recorded runs have the rounded one.',
    fix: 'Write a number with fewer digits, or a string where one is accepted.',
    bad: yaml('id: a\nprompt: Which number is it?\ngym: qa\nevaluate: [numeric_match, 12345678901234567890]\n'),
    good: yaml('id: a\nprompt: Which number is it?\ngym: qa\nevaluate: [numeric_match, 1234567890]\n'),
  },
  'nested-too-deeply': {
    title: 'Nesting too deep',
    severity: 'error',
    why: 'No task needs more than 200 levels of lists and objects. Reading more could exhaust the memory.',
    fix: 'Flatten the value. If a program generated the file, check it for an endless loop.',
  },
  'task-not-object': {
    title: 'Task that is not an object',
    severity: 'error',
    why: 'A task is an object with members such as "prompt" and "evaluate". A string, number, or list in its place cannot run, and HUD rejects the file.',
    fix: 'Write the task as an object, or remove the line.',
    bad: jsonl('"What is the capital of France?"\n'),
    good: jsonl(`${QA}\n`),
  },
  'empty-file': {
    title: 'Empty file',
    severity: 'error',
    why: 'The file has the name of a task file but contains nothing. HUD 0.6 fails on an empty .json file.',
    fix: 'Write a task, a list of tasks, or an object with a list "tasks".',
    bad: yaml(''),
    good: yaml('id: capital\nprompt: What is the capital of France?\ngym: qa\nevaluate: [response_is, Paris]\n'),
  },
  'second-document': {
    title: 'Second YAML document',
    severity: 'error',
    why: 'A line `---` starts a second document, and only the first document would be read.',
    fix: 'Write the tasks as one list, in which each task starts with `- `.',
    bad: yaml('id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Done.]\n---\nid: b\nprompt: Sell a mug.\n'),
    good: {
      file: 'shop.tasks.yaml',
      text: '- id: a\n  prompt: Buy a mug.\n  gym: qa\n  evaluate: [response_is, Done.]\n',
    },
  },
  'unknown-tag': {
    title: 'Unknown YAML tag',
    severity: 'error',
    why: 'A tag such as `!secret` requires a parser that supports it. No parser of task files does.',
    fix: 'Write the plain value.',
    bad: yaml('id: a\nprompt: !secret prompt\ngym: qa\nevaluate: [response_is, Paris]\n'),
    good: yaml('id: a\nprompt: What is the capital of France?\ngym: qa\nevaluate: [response_is, Paris]\n'),
  },
  'unknown-anchor': {
    title: 'Alias without an anchor',
    severity: 'error',
    why: 'A YAML alias (`*name`) repeats the value of an earlier anchor (`&name`). No anchor has this name.',
    fix: 'Add `&name` to the value that you want to repeat, or write the value out.',
    bad: yaml('id: a\nprompt: Buy a mug.\ngym: hud-browser\nsetup: *start\nevaluate: [element_exists, "#done"]\n'),
    good: yaml(
      'id: a\nprompt: Buy a mug.\ngym: hud-browser\nsetup: [goto, shop.html]\nevaluate: [element_exists, "#done"]\n',
    ),
  },
  'alias-circle': {
    title: 'Circular alias',
    severity: 'error',
    why: 'The alias is part of the value that it repeats, so the value would contain itself.',
    fix: 'Write the inner value out.',
    bad: yaml('id: a\nprompt: p\ngym: qa\nevaluate: &all [response_includes, *all]\n'),
    good: yaml('id: a\nprompt: What is it?\ngym: qa\nevaluate: [response_includes, Paris]\n'),
  },
  'key-not-text': {
    title: 'Key that is not a string',
    severity: 'error',
    why: 'The keys of a task are strings. YAML also allows lists and objects as keys, which have no meaning in a task.',
    fix: 'Write a string as the key.',
    bad: yaml('id: a\nprompt: What is it?\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {[a, b]: 1}\n'),
    good: yaml('id: a\nprompt: What is it?\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {a: 1, b: 1}\n'),
  },
  'merge-key': {
    title: 'Merge of a value that is not a mapping',
    severity: 'error',
    why: '`<<` merges the members of other mappings. It requires an alias of a mapping, or a list of such aliases.',
    fix: 'Write the alias of a mapping after `<<:`.',
    bad: yaml('id: a\n<<: shop\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\n'),
    good: yaml('id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\n'),
  },
  'too-many-aliases': {
    title: 'Too many aliased values',
    severity: 'error',
    why: 'Aliases of aliases can expand a few lines to millions of values, which would exhaust the memory.',
    fix: 'Write the values out, or use JSON Lines.',
  },
  'value-not-json': {
    title: 'Value that JSON cannot express',
    severity: 'error',
    why: 'Tasks consist of strings, numbers, true, false, null, lists, and objects. YAML also has sets, binary data, and tagged dates, which HUD cannot read.',
    fix: 'Write the value as a string.',
    bad: yaml(
      'id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {picture: !!binary aGVsbG8=}\n',
    ),
    good: yaml('id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {picture: aGVsbG8=}\n'),
  },
  'yaml-too-large': {
    title: 'YAML too large to parse at once',
    severity: 'error',
    why: 'YAML that is not a plain list of tasks must be parsed as a whole, which would block the editor for seconds.',
    fix: 'Write the tasks as a list in block style without shared anchors, or use JSON Lines.',
  },
  'file-too-large': {
    title: 'File too large',
    severity: 'error',
    why: 'The file exceeds the size limit, so its tasks are not shown.',
    fix: 'Split it into several files. JSON Lines is the fastest format to read.',
  },
  'file-unreadable': {
    title: 'File that cannot be read',
    severity: 'error',
    why: 'The operating system does not allow Taskwright to read this file, so its tasks are not shown. Other files are not affected.',
    fix: 'Grant yourself permission to read the file, or exclude it with a `.gitignore` file.',
  },
  'not-utf-8': {
    title: 'Encoding other than UTF-8',
    severity: 'error',
    why: 'Task files use UTF-8. In any other encoding some characters would silently change.',
    fix: 'Save the file as UTF-8. In VS Code, select the encoding in the status bar, then “Save with Encoding”.',
  },
  'more-findings': {
    title: 'More findings than shown',
    severity: 'information',
    why: 'The file has more findings than the editor can usefully show. The most severe ones are shown.',
    fix: 'Fix these first, or run `taskwright validate`, which reports all of them.',
  },
  'python-not-literal': {
    title: 'Python task with computed values',
    severity: 'information',
    why: 'Python task files are parsed, never executed. A variable, a call, or an f-string has a value only at run time, so this task is listed but cannot run.',
    fix: 'Write literal values, or export the tasks to JSON Lines.',
    bad: python(
      'import os\nfrom hud import Task\n\ntask = Task(prompt=os.environ["PROMPT"], gym="qa", evaluate=("response_is", "Paris"))\n',
    ),
    good: PYTHON_TASK,
  },
  'python-positional': {
    title: 'Positional argument',
    severity: 'error',
    why: 'HUD’s Task accepts keyword arguments only. Python raises a TypeError at this call.',
    fix: 'Name the argument: `prompt="..."`.',
    bad: python(
      'from hud import Task\n\ntask = Task("What is the capital of France?", gym="qa", evaluate=("response_is", "Paris"))\n',
    ),
    good: PYTHON_TASK,
  },
  'python-too-hard': {
    title: 'Python file that takes too long to parse',
    severity: 'error',
    why: 'Parsing exceeded its time limit, so the tasks of the file are not shown.',
    fix: 'Move the tasks to a file of their own.',
  },
} satisfies Rules;
