import { type Attack, python, SLEEP, typescript } from './attack.ts';

/** Agents that flood their runner. */
export const FLOODS: readonly Attack[] = [
  python(
    'exhaust',
    'answers ahead without end',
    'sys.stdin.readline()\nprint(json.dumps("noop(8000)"), flush=True)\nchunk = (json.dumps("noop()" + " " * 1000) + "\\n") * 1000\nwhile True: sys.stdout.write(chunk)',
    { kinds: ['coding'], timeoutMs: 30_000 },
  ),
  python(
    'exhaust',
    'writes its standard error full',
    'sys.stdin.readline()\nprint(json.dumps("noop(3000)"), flush=True)\nwhile True: sys.stderr.write("x" * 1000 + "\\n")',
    { kinds: ['coding'], timeoutMs: 10_000 },
  ),
  python(
    'outlive',
    'leaves children that hold its pipes',
    `import subprocess\nsubprocess.Popen(["sh", "-c", "exec ${SLEEP}"], start_new_session=True)\nprint(json.dumps("noop()"), flush=True)\nos._exit(0)`,
  ),
  python(
    'deny',
    'answers in bytes that are no text',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nsys.stdout.buffer.write(b"\\"\\xff\\xfe\\xc0\\x80\\"\\n")\nsys.stdout.flush()\nsys.stdin.readline()\nprint("null", flush=True)',
    { timeoutMs: 30_000 },
  ),
  python(
    'deny',
    'closes its pipes and stays',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nos.close(0)\nos.close(1)\nos.close(2)\ntime.sleep(60)',
    { timeoutMs: 10_000 },
  ),
  python(
    'deny',
    'answers with a key for the prototype',
    'sys.stdin.readline()\nprint(json.dumps("noop()"), flush=True)\nsys.stdin.readline()\nprint(\'{"type": "response", "text": "x", "__proto__": {"reward": 1, "success": true}, "constructor": {"prototype": {"reward": 1}}}\', flush=True)\nsys.stdin.readline()\nprint("null", flush=True)',
  ),
  typescript(
    'exhaust',
    'floods its output and its channel',
    'import { writeSync } from "node:fs";\nlet asked = 0;\nexport default async () => { if (asked++ === 0) return "noop()"; for (;;) { process.stdout.write("x".repeat(1000) + "\\n"); try { writeSync(3, "y".repeat(1000)); } catch {} await 0; } };',
    { kinds: ['qa', 'coding'], timeoutMs: 10_000 },
  ),
  typescript(
    'deny',
    'answers with what is no data',
    'let asked = 0;\nconst circle: unknown[] = [];\ncircle.push(circle);\nconst answers: unknown[] = ["noop()", 10n, circle];\nexport default () => answers[asked++];',
  ),
  typescript(
    'deny',
    'answers with an object that throws when it is read',
    'let asked = 0;\nexport default () => asked++ === 0 ? "noop()" : { toJSON() { throw { toString() { throw new Error("twice"); } }; } };',
  ),
];
