import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { isObject, type Json } from '../../base/json.ts';
import { parsePythonJson } from '../../python/json.ts';
import { type NumberTexts, printJson } from '../../python/numbers.ts';

/** One call of a controller's function: `count.check` is `check` of `hud_controller.count`. */
export interface Invocation {
  readonly function: string;
  /** Positional arguments. */
  readonly args: readonly Json[];
  /** How numbers in `args` are written. */
  readonly numbers?: NumberTexts | undefined;
}

/** The result of a call. `output`: what the function printed. */
export type InvocationResult =
  /** `result` may contain numbers that JSON does not support: NaN and infinities. */
  | { readonly result: Json; readonly output: string }
  | {
      /** The last line of Python's traceback: `ValueError: bad`. */
      readonly message: string;
      /** Where it failed: the path in the process that ran it, and the line. */
      readonly place: { readonly file: string; readonly line: number } | null;
      /** The whole traceback. */
      readonly trace: string;
      /** Whether the function does not exist. */
      readonly missing: boolean;
      readonly output: string;
    };

/**
 * The script of a process for one call, `python3 -c SCRIPT`, as in HUD 0.2.10's Docker client: it imports the function
 * from `hud_controller`, calls it with positional arguments, and prints its result as JSON after a unique line. Unlike
 * HUD's script, it reads the call from standard input, so that no argument is executed as code, and it distinguishes a
 * failure from the result None.
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
  /** The standard input for the process. */
  readonly request: string;
  readonly #divider = randomUUID();
  readonly #chunks: Buffer[] = [];

  constructor({ function: name, args, numbers = {} }: Invocation) {
    const head = `"divider":${JSON.stringify(this.#divider)},"function":${JSON.stringify(name)}`;
    this.request = `{${head},"args":${printJson(args, numbers)}}\n`;
  }

  /** Adds output of the process. Returns true once the answer is complete. */
  receive(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    // The answer ends with the divider as the last line, so only a chunk that ends a line can complete it.
    return chunk.at(-1) === 10 && this.#parts().length > 3;
  }

  /** The process id on the machine where it runs; null until it is known. */
  get pid(): number | null {
    const pid = Number.parseInt(this.#parts()[1] ?? '', 10);
    return Number.isNaN(pid) ? null : pid;
  }

  /** The result; null if the process ended without an answer. */
  get result(): InvocationResult | null {
    const [, text = '', answer, end] = this.#parts();
    if (answer === undefined || end === undefined) return null;
    // Removes the line break that the script added before the divider.
    const output = outputOf(text).slice(0, -1);
    const value = parsePythonJson(answer);
    if (isObject(value) && value['result'] !== undefined) return { result: value['result'], output };
    return { ...failureSchema.parse(value), output };
  }

  /** The output of the function so far. */
  get output(): string {
    return outputOf(this.#parts()[1] ?? '');
  }

  #parts(): string[] {
    return Buffer.concat(this.#chunks).toString('utf8').split(this.#divider);
  }
}

/** Removes the first line, which the script prints. */
function outputOf(text: string): string {
  return text.replace(/^[^\n]*\n/, '');
}
