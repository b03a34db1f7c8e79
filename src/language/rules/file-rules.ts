import type { Rules } from './rule.ts';

const jsonl = (text: string) => ({ file: 'shop.tasks.jsonl', text });
const yaml = (text: string) => ({ file: 'shop.task.yaml', text });
const python = (text: string) => ({ file: 'tasks.py', text });
const QA =
  '{ "id": "capital", "prompt": "What is the capital of France?", "gym": "qa", "evaluate": ["response_is", "Paris"] }';

/** What keeps the text of a file from being read. */
export const fileRules: Rules = {
  syntax: {
    title: 'The text cannot be read',
    severity: 'error',
    why: 'The text breaks the rules of its format: a bracket, a comma or a quote is missing or too much. What stands before the place may be read, what stands behind it may not.',
    mend: 'Mend the text at the place. Where several places are underlined, begin with the first: the others are often its consequences.',
    bad: QA.replace(' "evaluate"', ' "evaluate'),
    good: QA,
  },
  comment: {
    title: 'A comment in JSON',
    severity: 'error',
    why: 'JSON has no comments. VS Code allows them in some files of its own, but neither HUD nor Taskwright nor other readers of JSON do.',
    mend: 'Remove the comment, write what it says into "description", or keep the tasks in YAML, which has comments.',
    bad: QA.replace('{', '{ // the first one\n '),
    good: QA,
  },
  'trailing-comma': {
    title: 'A comma after the last member',
    severity: 'error',
    why: 'JSON takes no comma after the last member of an object or the last item of a list.',
    mend: 'Remove the comma.',
    bad: QA.replace(' }', ', }'),
    good: QA,
  },
  'duplicate-key': {
    title: 'A key that stands twice',
    severity: 'warning',
    why: 'Of two members with the same key the last one counts, in HUD too; the first is lost without a word. Python refuses an argument that is given twice.',
    mend: 'Remove the one that is not meant.',
    bad: QA.replace('"gym"', '"prompt": "And of Spain?", "gym"'),
    good: QA,
  },
  'number-not-finite': {
    title: 'A number that is not finite',
    severity: 'error',
    why: 'Numbers such as 1e999, .inf or NaN cannot be stored or compared reliably.',
    mend: 'Write a finite number, or a text.',
    bad: yaml(
      'id: a\nprompt: Buy a mug.\ngym: hud-browser\nevaluate: [element_exists, "#done"]\nmetadata: {limit: .inf}\n',
    ),
    good: yaml(
      'id: a\nprompt: Buy a mug.\ngym: hud-browser\nevaluate: [element_exists, "#done"]\nmetadata: {limit: 1000}\n',
    ),
  },
  'nested-too-deeply': {
    title: 'Nested too deeply',
    severity: 'error',
    why: 'No task needs more than 200 levels of lists and objects; reading them would exhaust the memory.',
    mend: 'Flatten the value. Where a program wrote the file, look for a loop in it.',
  },
  'task-not-object': {
    title: 'A task that is no object',
    severity: 'error',
    why: 'A task is an object with members such as "prompt" and "evaluate". A text, a number or a list in its place cannot be run, and HUD refuses the file.',
    mend: 'Write the task as an object, or take the line out.',
    bad: jsonl('"What is the capital of France?"\n'),
    good: jsonl(`${QA}\n`),
  },
  'empty-file': {
    title: 'An empty file',
    severity: 'error',
    why: 'A file with a task file’s name holds nothing. HUD 0.6 fails on an empty .json file.',
    mend: 'Write a task, a list of tasks, or an object with a list "tasks".',
    bad: yaml(''),
    good: yaml('id: capital\nprompt: What is the capital of France?\ngym: qa\nevaluate: [response_is, Paris]\n'),
  },
  'second-document': {
    title: 'A second YAML document',
    severity: 'error',
    why: 'A line `---` begins a second document, and only the first one would be read.',
    mend: 'Write the tasks as one list: each begins with `- `.',
    bad: yaml('id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Done.]\n---\nid: b\nprompt: Sell a mug.\n'),
    good: {
      file: 'shop.tasks.yaml',
      text: '- id: a\n  prompt: Buy a mug.\n  gym: qa\n  evaluate: [response_is, Done.]\n',
    },
  },
  'unknown-tag': {
    title: 'An unknown YAML tag',
    severity: 'error',
    why: 'A tag such as `!secret` asks for a reader that knows it. No reader of tasks does.',
    mend: 'Write the plain value.',
    bad: yaml('id: a\nprompt: !secret prompt\ngym: qa\nevaluate: [response_is, Paris]\n'),
    good: yaml('id: a\nprompt: What is the capital of France?\ngym: qa\nevaluate: [response_is, Paris]\n'),
  },
  'unknown-anchor': {
    title: 'An alias of nothing',
    severity: 'error',
    why: 'A YAML alias (`*name`) repeats what an anchor (`&name`) before it marks. There is none of this name.',
    mend: 'Mark the value that is meant with `&name`, or write it out.',
    bad: yaml('id: a\nprompt: Buy a mug.\ngym: hud-browser\nsetup: *start\nevaluate: [element_exists, "#done"]\n'),
    good: yaml(
      'id: a\nprompt: Buy a mug.\ngym: hud-browser\nsetup: [goto, shop.html]\nevaluate: [element_exists, "#done"]\n',
    ),
  },
  'alias-circle': {
    title: 'An alias inside of what it repeats',
    severity: 'error',
    why: 'The value would contain itself without end.',
    mend: 'Write the inner value out.',
    bad: yaml('id: a\nprompt: p\ngym: qa\nevaluate: &all [response_includes, *all]\n'),
    good: yaml('id: a\nprompt: What is it?\ngym: qa\nevaluate: [response_includes, Paris]\n'),
  },
  'key-not-text': {
    title: 'A key that is no text',
    severity: 'error',
    why: 'The members of a task have texts as their keys. A list or an object as a key, which YAML can write, has no meaning in a task.',
    mend: 'Write a text as the key.',
    bad: yaml('id: a\nprompt: What is it?\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {[a, b]: 1}\n'),
    good: yaml('id: a\nprompt: What is it?\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {a: 1, b: 1}\n'),
  },
  'merge-key': {
    title: 'A merge of what is no mapping',
    severity: 'error',
    why: '`<<` takes over the members of other mappings; it needs an alias of a mapping, or a list of such.',
    mend: 'Write the alias of a mapping behind `<<:`.',
    bad: yaml('id: a\n<<: shop\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\n'),
    good: yaml('id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\n'),
  },
  'too-many-aliases': {
    title: 'Aliases that stand for too much',
    severity: 'error',
    why: 'Aliases of aliases can make a few lines stand for millions of values, which would fill the memory.',
    mend: 'Write the values out, or keep the tasks as JSON lines.',
  },
  'value-not-json': {
    title: 'A value that JSON does not have',
    severity: 'error',
    why: 'Tasks hold texts, numbers, true, false, null, lists and objects. YAML can say more, such as sets, binary data and dates with a tag; HUD could not read it.',
    mend: 'Write it as a text.',
    bad: yaml(
      'id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {picture: !!binary aGVsbG8=}\n',
    ),
    good: yaml('id: a\nprompt: Buy a mug.\ngym: qa\nevaluate: [response_is, Paris]\nmetadata: {picture: aGVsbG8=}\n'),
  },
  'yaml-too-large': {
    title: 'Too much YAML in one piece',
    severity: 'error',
    why: 'YAML that is not a plain list of tasks must be parsed as a whole, which would hold up the editor for seconds.',
    mend: 'Write the tasks as a list in block style without shared anchors, or as JSON lines.',
  },
  'file-too-large': {
    title: 'A file over the limit',
    severity: 'error',
    why: 'The file is larger than what is read in one go, so its tasks are not shown.',
    mend: 'Divide it into several files. JSON lines are read the fastest.',
  },
  'file-unreadable': {
    title: 'A file that cannot be read',
    severity: 'error',
    why: 'The file stands in a folder that was searched for tasks, but the system does not let it be read, so nothing is known of its tasks. The other files are not concerned.',
    mend: 'Give yourself permission to read the file, or leave it out with a `.gitignore`.',
  },
  'not-utf-8': {
    title: 'Another encoding than UTF-8',
    severity: 'error',
    why: 'Task files are UTF-8. In another encoding some characters would silently become others.',
    mend: 'Save the file with encoding UTF-8 (in VS Code: the encoding in the status bar, “Save with Encoding”).',
  },
  'more-findings': {
    title: 'More findings than are shown',
    severity: 'information',
    why: 'The file has more findings than the editor can usefully show; it shows the most severe ones.',
    mend: 'Mend these first, or run `taskwright validate`, which shows all.',
  },
  'python-not-literal': {
    title: 'A Python task with values that are not written out',
    severity: 'information',
    why: 'Tasks in Python files are read, never executed. A variable, a call or an f-string has a value only when the program runs, so this task is shown but cannot be run here.',
    mend: 'Write the values themselves, or export the tasks to JSON lines.',
    bad: python(
      'import os\nfrom hud import Task\n\ntask = Task(prompt=os.environ["PROMPT"], gym="qa", evaluate=("response_is", "Paris"))\n',
    ),
    good: python(
      'from hud import Task\n\ntask = Task(prompt="What is the capital of France?", gym="qa", evaluate=("response_is", "Paris"))\n',
    ),
  },
  'python-positional': {
    title: 'A field without its name',
    severity: 'error',
    why: 'HUD’s Task takes keyword arguments only; Python raises a TypeError at this call.',
    mend: 'Write the name of the field: `prompt="..."`.',
    bad: python(
      'from hud import Task\n\ntask = Task("What is the capital of France?", gym="qa", evaluate=("response_is", "Paris"))\n',
    ),
    good: python(
      'from hud import Task\n\ntask = Task(prompt="What is the capital of France?", gym="qa", evaluate=("response_is", "Paris"))\n',
    ),
  },
  'python-too-hard': {
    title: 'Python that takes too long to read',
    severity: 'error',
    why: 'The file was given up after a time limit, so its tasks are not shown.',
    mend: 'Keep the tasks in a file of their own.',
  },
};
