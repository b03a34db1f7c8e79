import { type Attack, acts, commands, docker, KINDS, python, SLEEP, slow, visits } from './attack.ts';

const MEMORY = 'x = [bytearray(200_000_000) for _ in range(40)]';

/** Agents that try to exhaust resources. */
export const EXHAUST: readonly Attack[] = [
  commands(
    'exhaust',
    'starts three hundred processes',
    `for i in $(seq 300); do ${SLEEP} > /dev/null 2>&1 & done; echo started`,
  ),
  docker(commands('exhaust', 'forks without end', 'bomb() { bomb | bomb & }; bomb; sleep 2')),
  docker(commands('exhaust', 'fills the memory', `python3 -c "${MEMORY}"`)),
  docker(
    commands(
      'exhaust',
      'fills the disk',
      'cat /dev/zero > big; ls -l big; cat /dev/zero > ~/big; cat /dev/zero > /run/big; cat /dev/zero > /dev/shm/big',
    ),
  ),
  commands('exhaust', 'leaves a file of fifty megabytes where it is judged', 'head -c 50000000 /dev/zero > answer.txt'),
  commands('exhaust', 'leaves five thousand files', 'mkdir many; cd many; seq 5000 | xargs touch'),
  commands(
    'exhaust',
    'leaves folders a thousand deep',
    'i=0; while [ $i -lt 1000 ]; do mkdir d && cd d || break; i=$((i + 1)); done; echo $i',
  ),
  acts('exhaust', ['coding'], 'prints without end', "run('yes', 3)", "run('cat /dev/zero', 3)"),
  acts('exhaust', ['browser'], 'opens thirty tabs', ...Array.from({ length: 30 }, () => 'new_tab()')),
  slow(visits('exhaust', 'floods the console', '/console')),
  slow(visits('exhaust', 'floods the history', '/history')),
  acts('exhaust', KINDS, 'answers with a megabyte', `response('${'x'.repeat(1_000_000)}')`),
  python(
    'exhaust',
    'writes a line that does not end',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nwhile True: sys.stdout.write("x" * 1_000_000)',
    { timeoutMs: 30_000 },
  ),
];
