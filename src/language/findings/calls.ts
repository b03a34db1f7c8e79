import { didYouMean, nearestWord } from '../../base/nearest.ts';
import type { Path } from '../../base/path.ts';
import { missingPage } from '../../environments/browser/pages/page-problems.ts';
import type { Kind } from '../../environments/kind.ts';
import { canCall } from '../../environments/kinds.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import { builtins, findBuiltin } from '../../functions/catalogue.ts';
import type { FunctionDeclaration, Phase } from '../../functions/declaration.ts';
import { needOf } from '../../functions/needs.ts';
import type { ControllerFunctions } from '../../functions/user/controllers.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import { parseCallString } from '../../tasks/reward-call.ts';
import { changeTo } from '../../tasks/value-fixes.ts';
import { type AddressProblem, addressProblem } from './address.ts';
import { argumentProblems, nameOf } from './arguments.ts';
import { constantProblems } from './constant.ts';
import { userArgumentProblems } from './user-arguments.ts';
import { schemaProblems } from './user-schema.ts';

/** The context of a call. */
export interface CallContext {
  readonly phase: Phase;
  /** The environment type in the task: `hud-browser`. */
  readonly environment: string;
  /** Null if the environment is not known: then only the calls themselves are checked. */
  readonly kind: Kind | null;
  readonly own: UserFunctions;
  /** The controller of a custom environment; null if its files are not known. */
  readonly controller?: ControllerFunctions | null;
}

/** Problems in one setup or evaluate call. User-defined functions are looked up, but never executed. */
export function callProblems(call: ReadCall, place: CallContext): Problem[] {
  const name = call.function;
  if (place.kind?.calls === 'environment') return controllerProblems(call, place.controller ?? null);
  const own = place.own.get(name);
  if (own?.other !== undefined) {
    const files = [own.other, own.file].map((file) => file.replace(/^.*[/\\]/, '')).join(' and ');
    return [
      {
        ...nameOf(call),
        severity: 'error',
        code: 'unknown-function',
        message: `“${name}” is exported by ${files}. Rename one of them`,
      },
    ];
  }
  if (own !== undefined) {
    return own.phase !== null && own.phase !== place.phase
      ? [wrongPhase(call, own.phase, place)]
      : (schemaProblems(call, own) ?? userArgumentProblems(call, own));
  }
  const declaration = findBuiltin(name);
  if (declaration === undefined) return [unknownFunction(call, place)];
  if (declaration.notRun === true) {
    return [
      {
        ...nameOf(call),
        severity: 'information',
        code: 'function-not-run',
        message: `This version of Taskwright does not run “${name}”. ${declaration.doc}`,
      },
    ];
  }
  if (declaration.phase !== place.phase) {
    return [wrongPhase(call, declaration.phase, place)];
  }
  const problems = argumentProblems(call, declaration);
  if (problems.length === 0) problems.push(...valueProblems(call, declaration, place));
  if (place.kind !== null && !canCall(declaration, place.kind)) {
    const setup = place.phase === 'setup';
    const need = needOf(declaration.needs);
    problems.push({
      ...nameOf(call),
      severity: setup ? 'error' : 'warning',
      code: 'function-environment',
      message: setup
        ? `“${name}” needs ${need}, and the environment “${place.environment}” has none`
        : `“${name}” has no effect in the environment “${place.environment}”, which has no ${need?.replace(/^an? /, '')}. Use a response function`,
      ...fixToResponse(call, declaration),
    });
  }
  return problems;
}

function fixToResponse(call: ReadCall, declaration: FunctionDeclaration): Pick<Problem, 'fixes'> {
  const name = declaration.phase === 'evaluate' ? declaration.ofResponse : undefined;
  return name === undefined || call.text !== undefined ? {} : renaming(call, name);
}

/** The repair of a call by another name of a function, if there is one. */
function renaming({ function: name, namePath, text }: ReadCall, to: string | null): Pick<Problem, 'fixes'> {
  if (to === null) return {};
  const value = text?.replace(name, () => to) ?? to;
  return { fixes: [{ title: `Change to “${to}”`, changes: [{ set: namePath, value }] }] };
}

/** Any name can be a function of the controller. Reports a name that its files do not define, if they are known. */
function controllerProblems(call: ReadCall, controller: ControllerFunctions | null): Problem[] {
  const name = call.function;
  if (controller === null) return [];
  const signature = controller.functions.get(name);
  if (signature !== undefined) return userArgumentProblems(call, signature);
  if (controller.mayHave(name)) return [];
  const near = nearestWord(name, controller.functions.keys());
  return [
    {
      ...nameOf(call),
      severity: 'warning',
      code: 'controller-function',
      message: `The controller defines no function “${name}”${didYouMean(near)}`,
      ...renaming(call, near),
    },
  ];
}

function wrongPhase(call: ReadCall, phase: Phase, place: CallContext): Problem {
  return {
    ...nameOf(call),
    severity: 'error',
    code: 'wrong-phase',
    message: `“${call.function}” is a function for "${phase}", not "${place.phase}"`,
  };
}

/** Values that have the right type but cannot be intended. */
function valueProblems(call: ReadCall, declaration: FunctionDeclaration, place: CallContext): Problem[] {
  const [first] = call.args;
  if (declaration.phase === 'evaluate') return constantProblems(call, declaration);
  if (declaration.name !== 'goto') return [];
  if (typeof first !== 'string') return [];
  const path = call.argPaths[0] ?? call.path;
  const problem = addressProblem(first);
  if (problem === null) {
    const canOpen = place.kind === null || place.kind.provides.includes('page');
    return canOpen ? missingPage(path, first, place.own.beside) : [];
  }
  const invalid = invalidAddress(path, first, problem);
  if (call.text === undefined) return [invalid];
  const { fixes: _, ...rest } = invalid;
  return [{ ...rest, word: first }];
}

export function invalidAddress(path: Path, text: string, { reason, suggestion: meant }: AddressProblem): Problem {
  return {
    path,
    severity: 'error',
    code: 'invalid-address',
    message: `${JSON.stringify(text)} is not a valid address: ${reason}`,
    ...(meant === undefined ? {} : { fixes: [changeTo(path, meant)] }),
  };
}

function unknownFunction(call: ReadCall, place: CallContext): Problem {
  const name = call.function;
  const base = { ...nameOf(call), severity: 'error', code: 'unknown-function' } as const;
  const stringCall = call.args.length === 0 ? parseCallString(name) : null;
  if (stringCall !== null && stringCall.name !== name && name.trim().endsWith(')')) {
    const list = [stringCall.name, ...stringCall.args];
    return {
      ...base,
      message: `As in HUD, the whole string “${name}” is the name of a function. Write ${JSON.stringify(list)}`,
      fixes: [{ title: `Change to ${JSON.stringify(list)}`, changes: [{ set: call.path, value: list }] }],
    };
  }
  if (name === '') return { ...base, message: 'The name of the function is empty' };
  const whole = `check_${name}`;
  if (call.text?.trimStart().startsWith(whole) === true && place.own.has(whole)) {
    return {
      ...base,
      word: whole,
      message: `In a reward function, “${whole}” means “${name}”, which does not exist. Use the full name in "evaluate" instead`,
      fixes: [
        {
          title: `Write it as "evaluate": ${whole}`,
          changes: [{ set: ['evaluate'], value: [whole, ...call.args] }, { remove: call.path }],
        },
      ],
    };
  }
  const near = nearestWord(name, functionNames(place));
  return {
    ...base,
    message: `Unknown function “${name}”${didYouMean(near) || '. It is neither built in nor exported by a *.functions.ts or *.functions.py file next to the tasks'}`,
    ...renaming(call, near),
  };
}

/** Names that are valid here. */
function* functionNames(place: Pick<CallContext, 'phase' | 'own'>): Generator<string> {
  yield* place.own.keys();
  for (const { phase, name, aliases } of builtins) {
    if (phase !== place.phase) continue;
    yield name;
    yield* aliases ?? [];
  }
}
