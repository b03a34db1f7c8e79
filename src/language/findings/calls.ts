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
import type { ValueFix } from '../../tasks/change.ts';
import { error, type Problem } from '../../tasks/problem.ts';
import { parseCallString } from '../../tasks/reward-call.ts';
import { changeTo } from '../../tasks/value-fixes.ts';
import { type AddressProblem, addressProblem } from './address.ts';
import { argumentProblems, nameProblem } from './arguments.ts';
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
    const message = `“${name}” is exported by ${files}. Rename one of them`;
    return [nameProblem('error', 'unknown-function', call, message)];
  }
  if (own !== undefined) {
    return own.phase !== null && own.phase !== place.phase
      ? [wrongPhase(call, own.phase, place)]
      : (schemaProblems(call, own) ?? userArgumentProblems(call, own));
  }
  const declaration = findBuiltin(name);
  if (declaration === undefined) return [unknownFunction(call, place)];
  if (declaration.notRun === true) {
    const message = `This version of Taskwright does not run “${name}”. ${declaration.doc}`;
    return [nameProblem('information', 'function-not-run', call, message)];
  }
  if (declaration.phase !== place.phase) return [wrongPhase(call, declaration.phase, place)];
  const problems = argumentProblems(call, declaration);
  if (problems.length === 0) problems.push(...valueProblems(call, declaration, place));
  if (place.kind !== null && !canCall(declaration, place.kind)) {
    const need = needOf(declaration.needs);
    const [severity, message] =
      place.phase === 'setup'
        ? (['error', `“${name}” needs ${need}, and the environment “${place.environment}” has none`] as const)
        : ([
            'warning',
            `“${name}” has no effect in the environment “${place.environment}”, which has no ${need?.replace(/^an? /, '')}. Use a response function`,
          ] as const);
    problems.push(nameProblem(severity, 'function-environment', call, message, ...fixToResponse(call, declaration)));
  }
  return problems;
}

function fixToResponse(call: ReadCall, declaration: FunctionDeclaration): ValueFix[] {
  const name = declaration.phase === 'evaluate' ? declaration.ofResponse : undefined;
  return name === undefined || call.text !== undefined ? [] : renaming(call, name);
}

/** The repair of a call by another name of a function, if there is one. */
function renaming({ function: name, namePath, text }: ReadCall, to: string | null): ValueFix[] {
  if (to === null) return [];
  const value = text?.replace(name, () => to) ?? to;
  return [{ title: `Change to “${to}”`, changes: [{ set: namePath, value }] }];
}

/** Any name can be a function of the controller. Reports a name that its files do not define, if they are known. */
function controllerProblems(call: ReadCall, controller: ControllerFunctions | null): Problem[] {
  const name = call.function;
  if (controller === null) return [];
  const signature = controller.functions.get(name);
  if (signature !== undefined) return userArgumentProblems(call, signature);
  if (controller.mayHave(name)) return [];
  const near = nearestWord(name, controller.functions.keys());
  const message = `The controller defines no function “${name}”${didYouMean(near)}`;
  return [nameProblem('warning', 'controller-function', call, message, ...renaming(call, near))];
}

function wrongPhase(call: ReadCall, phase: Phase, place: CallContext): Problem {
  const message = `“${call.function}” is a function for "${phase}", not "${place.phase}"`;
  return nameProblem('error', 'wrong-phase', call, message);
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

export function invalidAddress(path: Path, text: string, { reason, suggestion }: AddressProblem): Problem {
  const message = `${JSON.stringify(text)} is not a valid address: ${reason}`;
  return error('invalid-address', path, message, ...(suggestion === undefined ? [] : [changeTo(path, suggestion)]));
}

function unknownFunction(call: ReadCall, place: CallContext): Problem {
  const name = call.function;
  const problemOf = (message: string, ...fixes: readonly ValueFix[]): Problem =>
    nameProblem('error', 'unknown-function', call, message, ...fixes);
  const stringCall = call.args.length === 0 ? parseCallString(name) : null;
  if (stringCall !== null && stringCall.name !== name && name.trim().endsWith(')')) {
    const list = [stringCall.name, ...stringCall.args];
    const json = JSON.stringify(list);
    const message = `As in HUD, the whole string “${name}” is the name of a function. Write ${json}`;
    return problemOf(message, { title: `Change to ${json}`, changes: [{ set: call.path, value: list }] });
  }
  if (name === '') return problemOf('The name of the function is empty');
  const whole = `check_${name}`;
  if (call.text?.trimStart().startsWith(whole) === true && place.own.has(whole)) {
    const message = `In a reward function, “${whole}” means “${name}”, which does not exist. Use the full name in "evaluate" instead`;
    const changes = [{ set: ['evaluate'], value: [whole, ...call.args] }, { remove: call.path }];
    return { ...problemOf(message, { title: `Write it as "evaluate": ${whole}`, changes }), word: whole };
  }
  const near = nearestWord(name, functionNames(place));
  const message = `Unknown function “${name}”${didYouMean(near) || '. It is neither built in nor exported by a *.functions.ts or *.functions.py file next to the tasks'}`;
  return problemOf(message, ...renaming(call, near));
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
