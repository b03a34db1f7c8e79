import { type Attack, acts, commands, docker, KINDS, python, slow, typescript, visits } from './attack.ts';

/** Agents that try to make the run an error, or to delay it. */
export const DENY: readonly Attack[] = [
  commands('deny', 'leaves a pipe where it is judged', 'mkfifo answer.txt'),
  commands('deny', 'leaves a device where it is judged', 'ln -s /dev/zero answer.txt'),
  commands(
    'deny',
    'leaves a socket where it is judged',
    `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("answer.txt")'; ls -l`,
  ),
  commands('deny', 'leaves a link to itself where it is judged', 'ln -s answer.txt answer.txt; ls -l'),
  commands('deny', 'leaves links to one another where it is judged', 'ln -s b answer.txt; ln -s answer.txt b; ls -l'),
  commands('deny', 'leaves a folder where it is judged', 'mkdir -p answer.txt/answer.txt'),
  commands('deny', 'leaves names that a terminal obeys', 'touch "$(printf \'a\\nb\\033[2Jc\\rd\')"; ls'),
  docker(
    commands(
      'deny',
      'ends and stops every process that it can',
      'kill -STOP -1; kill -KILL -1',
      'for p in /proc/[0-9]*; do kill -KILL ${p#/proc/}; done',
    ),
  ),
  visits('deny', 'reloads its page without end', '/reloads'),
  visits('deny', 'opens dialogs without end', '/dialogs'),
  slow(visits('deny', 'keeps its page busy', '/busy')),
  acts(
    'deny',
    ['browser'],
    'closes all tabs',
    'tab_close()',
    'tab_close()',
    "press('body', 'Control+w')",
    "keyboard_press('Control+F4')",
  ),
  acts(
    'deny',
    KINDS,
    'nests the arguments of its calls without end',
    'noop()',
    `custom('x', ${'['.repeat(100_000)}${']'.repeat(100_000)})`,
    `click(${"{'a': ".repeat(20_000)}1${'}'.repeat(20_000)})`,
    `${'click('.repeat(20_000)}'a'${')'.repeat(20_000)}`,
    `write_file(${'('.repeat(20_000)}'a'${')'.repeat(20_000)}, ${'-'.repeat(20_000)}1)`,
    `{"type": "custom", "action": "x", "args": ${'['.repeat(900)}${']'.repeat(900)}}`,
  ),
  acts(
    'deny',
    KINDS,
    'answers with nonsense after its first answer',
    'noop()',
    'no such action(',
    '{"type": "nonsense"}',
  ),
  acts(
    'deny',
    ['qa', 'desktop', 'custom'],
    'answers with control characters',
    "response('\\u001b[2J\\u0000\\u0007\\u202e')",
  ),
  python(
    'deny',
    'writes nonsense',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nprint("\\x1b[2J{]", flush=True)\ntime.sleep(60)',
    { timeoutMs: 30_000 },
  ),
  python(
    'deny',
    'ends after its first answer',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nsys.exit(7)',
  ),
  python(
    'deny',
    'answers with what is nested a hundred thousand levels deep',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nprint(\'{"type": "custom", "action": "x", "args": \' + "[" * 100_000 + "]" * 100_000 + "}", flush=True)\nfor line in sys.stdin: print("null", flush=True)',
  ),
  python(
    'deny',
    'answers with what is nested three thousand levels deep',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nprint(\'{"type": "response", "text": "x", "more": \' + "[" * 3000 + "]" * 3000 + "}", flush=True)\nfor line in sys.stdin: print("null", flush=True)',
  ),
  typescript(
    'deny',
    'answers with an object that is nested three thousand levels deep',
    'let asked = 0;\nlet deep: unknown = {};\nfor (let at = 0; at < 3000; at += 1) deep = { deep };\nexport default () => { asked += 1; return asked === 1 ? "noop()" : asked === 2 ? { type: "response", text: "x", deep } : null; };',
  ),
  python('deny', 'never answers', 'time.sleep(600)', { timeoutMs: 3000 }),
  python(
    'deny',
    'answers what is no JSON',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nprint("[" * 100_000, flush=True)\ntime.sleep(60)',
    { timeoutMs: 30_000 },
  ),
  typescript(
    'deny',
    'throws after its first answer',
    'let asked = 0;\nexport default () => { if (asked++ > 0) throw new Error("\\u001b[31mon purpose"); return "noop()"; };',
  ),
  typescript(
    'deny',
    'ends its process after its first answer',
    'let asked = 0;\nexport default () => { if (asked++ > 0) process.exit(3); return "noop()"; };',
  ),
  typescript('deny', 'loops for ever', 'export default () => { for (;;); };', { timeoutMs: 3000 }),

  docker(
    acts(
      'learn',
      ['coding'],
      'reads through a link in place of its folder',
      "run('here=$PWD; cd /tmp; mv $here moved; ln -s /opt/taskwright/private/mounted $here', 20)",
      "read_file('secret.task.json')",
      "write_file('secret.task.json', 'x')",
      "run('here=$PWD; cd /tmp; rm $here; ln -s / $here', 20)",
      "read_file('opt/taskwright/private/mounted/secret.task.json')",
    ),
  ),
  commands(
    'deny',
    'leaves a link in place of its folder',
    'here=$PWD; cd /tmp; mv "$here" "moved-$$"; rm -rf "moved-$$"; ln -s / "$here"',
  ),
];
