import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Json, jsonSchema } from '../../tasks/task.ts';

/** One call of a controller's function: `count.check` is `check` of `hud_controller.count`. */
export interface Invocation {
  readonly function: string;
  /** All by their place. */
  readonly args: readonly Json[];
}

/** Where a controller's function failed. */
export interface ControllerPlace {
  /** As the process that ran it sees it. */
  readonly file: string;
  readonly line: number;
}

/** What came of a call. `output`: what the function printed. */
export type InvocationResult =
  /** `result` may hold numbers that JSON has not: NaN and the infinities. */
  | { readonly result: unknown; readonly output: string }
  | {
      /** The last line of Python's traceback: `ValueError: bad`. */
      readonly message: string;
      readonly place: ControllerPlace | null;
      /** The whole traceback. */
      readonly trace: string;
      /** There is no function of that name. */
      readonly missing: boolean;
      readonly output: string;
    };

/**
 * What a process is started with for one call, `python3 -c SCRIPT`, as HUD 0.2.10's Docker client does it: the function
 * is imported from `hud_controller`, called with the arguments by their place, and its result printed as JSON below a
 * line that nothing else prints. Unlike there the call is read from standard input, so that no text of it is ever code,
 * and a failure is told apart from a result of None.
 */
export const SCRIPT = `
import json, keyword, os, sys, traceback
asked = json.loads(sys.stdin.buffer.readline())
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
sys.argv = ['-c']
print(asked['divider'], os.getpid(), flush=True)

def invoke(name, args):
    *inside, last = name.split('.')
    for part in (*inside, last):
        if not part.isidentifier() or keyword.iskeyword(part):
            raise SyntaxError('invalid syntax')
    scope = {}
    module = '.'.join(['hud_controller', *inside])
    exec(f'from {module} import {last} as function', scope)
    result = scope['function'](*args)
    if hasattr(result, 'cr_frame'):
        result.close()
        raise TypeError(f'{name} is async: HUD 0.2 calls plain functions only')
    return json.dumps(result)

def of_controller(frame):
    file = frame.filename
    if os.sep + 'hud_controller' + os.sep in file:
        return True
    return not (file.startswith(('<', os.path.dirname(os.__file__))) or '-packages' + os.sep in file)

def failure(error):
    frames = traceback.extract_tb(error.__traceback__)
    while frames and frames[0].filename == '<string>':
        error.__traceback__ = error.__traceback__.tb_next
        frames = frames[1:]
    own = [frame for frame in frames if of_controller(frame)]
    place = {'file': own[-1].filename, 'line': own[-1].lineno} if own else None
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith('<'):
        place = {'file': error.filename, 'line': error.lineno or 1}
    last = [line for line in traceback.format_exception_only(type(error), error) if not line.startswith(' ')]
    missing = isinstance(error, ImportError) and not own
    trace = ''.join(traceback.format_exception(type(error), error, error.__traceback__))
    return json.dumps({'message': last[0].strip(), 'place': place, 'trace': trace, 'missing': missing})

try:
    answer = '{"result":' + invoke(asked['function'], asked['args']) + '}'
except BaseException as error:
    answer = failure(error)
sys.stdout.flush()
sys.stderr.flush()
divider = asked['divider'].encode()
end = b'\\n' + divider + b'\\n' + answer.encode() + b'\\n' + divider + b'\\n'
while end:
    end = end[os.write(1, end):]
`;

const failureSchema = z.object({
  message: z.string(),
  place: z.object({ file: z.string(), line: z.number() }).nullable(),
  trace: z.string(),
  missing: z.boolean(),
});

/** Follows the output of one call's process. */
export class Conversation {
  /** What the process is to be given on its standard input. */
  readonly question: string;
  readonly #divider = randomUUID();
  readonly #chunks: Buffer[] = [];

  constructor(invocation: Invocation) {
    this.question = `${JSON.stringify({ divider: this.#divider, function: invocation.function, args: invocation.args })}\n`;
  }

  /** Takes what the process printed. True once the answer is whole, whatever the process still prints. */
  hear(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    // The end is the divider alone on the last line; only a chunk that ends a line can bring it.
    return chunk.at(-1) === 10 && this.#parts().length > 3;
  }

  /** The process's id where it runs; null before it said so. */
  get pid(): number | null {
    const [, begun] = this.#parts();
    const pid = Number.parseInt(begun ?? '', 10);
    return Number.isNaN(pid) ? null : pid;
  }

  /** What came of it; null where the process ended without an answer. */
  get result(): InvocationResult | null {
    const [, begun = '', answer, end] = this.#parts();
    if (answer === undefined || end === undefined) return null;
    // The line before the divider was ended for it.
    const output = outputOf(begun).slice(0, -1);
    const said = readPythonJson(answer);
    if (typeof said === 'object' && said !== null && 'result' in said) return { result: said.result, output };
    return { ...failureSchema.parse(said), output };
  }

  /** What the function printed until now. */
  get output(): string {
    return outputOf(this.#parts()[1] ?? '');
  }

  #parts(): string[] {
    return Buffer.concat(this.#chunks).toString('utf8').split(this.#divider);
  }
}

/** What comes after the line that the script begins with. */
function outputOf(begun: string): string {
  return begun.replace(/^[^\n]*\n/, '');
}

/** JSON as Python writes it, which has words for numbers that are not finite. */
export function readPythonJson(text: string): unknown {
  const words = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
  if (!/NaN|Infinity/.test(text)) return JSON.parse(text);
  const marked = text.replace(words, (word) => (word.startsWith('"') ? word : `{"__float__":"${word}"}`));
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'object' && value !== null && Object.keys(value).length === 1 && '__float__' in value
      ? Number(value.__float__)
      : value,
  );
}

/** What a controller answered as JSON proper; null where it holds numbers that JSON has not. */
export function asJson(value: unknown): Json | null {
  const parsed = jsonSchema.safeParse(value);
  return parsed.success ? parsed.data : null;
}
