import { isObject, type Json } from '../../../base/json.ts';
import { canCall, environmentKind } from '../../../environments/kinds.ts';
import { builtins } from '../../../functions/catalogue.ts';
import { needOf } from '../../../functions/needs.ts';
import { parameterName } from '../../../functions/user/parameters.ts';
import { readRow } from '../../../tasks/reading.ts';
import type { Cursor } from '../../../tasks/rows.ts';
import { placeholder, unquotedPlaceholder } from '../../../tasks/snippet.ts';
import { asTuple, isTuple } from '../../../tasks/tuple.ts';
import { userFunctionsOf } from '../../controller.ts';
import { signatureText } from '../../findings/arguments.ts';
import { builtinDoc, userFunctionDoc } from '../docs.ts';
import { at, type ValueContext } from '../value-context.ts';
import { blankArguments } from './arguments.ts';
import type { CompletionContext } from './context.ts';
import type { CompletionProposal, Piece } from './item.ts';

type FunctionContext = Extract<ValueContext, { kind: 'function' }>;

/** Functions that can be called here: those of the phase and environment first, user-defined functions among them. */
export function functions(place: FunctionContext, cursor: Cursor, context: CompletionContext): CompletionProposal[] {
  const { task } = cursor;
  const own = userFunctionsOf(task, context.own);
  const answer = isObject(task) ? environmentKind(readRow(task).fields.env) : null;
  const kind = answer !== null && 'kind' in answer ? answer.kind : null;
  const userOffers = [...own.values()].map((signature): CompletionProposal => {
    const { name, phase, parameters, file } = signature;
    const wrong = phase !== null && phase !== place.phase;
    return {
      label: name,
      kind: 'user-function',
      // Without types, which the description contains, to keep the list narrow.
      signature: `(${parameters?.map(parameterName).join(', ') ?? '…'})`,
      detail: wrong ? `for ${phase}` : file.replace(/^.*[/\\]/, ''),
      doc: userFunctionDoc(signature),
      ...insertion(name, place, cursor, own),
      rank: wrong ? 8 : 1,
      unlikely: wrong,
    };
  });
  const builtinOffers = (kind?.calls === 'environment' ? [] : builtins).map((declaration): CompletionProposal => {
    const { name, notRun = false, phase, needs } = declaration;
    const wrong = phase !== place.phase;
    const elsewhere = kind !== null && !canCall(declaration, kind);
    return {
      label: name,
      kind: 'function',
      signature: signatureText(declaration).slice(name.length),
      detail: wrong ? `for ${phase}` : notRun ? 'not run' : elsewhere ? `needs ${needOf(needs)}` : undefined,
      doc: builtinDoc(declaration),
      ...insertion(name, place, cursor, own),
      rank: wrong ? 9 : notRun ? 7 : elsewhere ? 5 : 2,
      unlikely: wrong || notRun || elsewhere,
    };
  });
  return [...userOffers, ...builtinOffers, ...spelledOut(place, cursor)];
}

/** The text to insert for a function: with arguments if the call is new. */
function insertion(
  name: string,
  place: FunctionContext,
  cursor: Cursor,
  own: CompletionContext['own'],
): Pick<CompletionProposal, 'pieces' | 'next'> {
  const { values, next } = blankArguments(name, own);
  const list: readonly Json[] = [name, ...values];
  const { task } = cursor;
  switch (place.spelling) {
    case 'alone':
      if (place.call[0] === 'reward_function' || place.call[0] === 'reward_fn') {
        return { pieces: [{ value: callString(name, values.length, own.has(name)) }] };
      }
      return { pieces: [{ value: values.length === 0 ? name : callList(list, cursor) }], next };
    case 'item': {
      const siblings = at(task, place.call.slice(0, -1));
      const lists =
        Array.isArray(siblings) && siblings.some((item, index) => index !== place.call.at(-1) && Array.isArray(item));
      if (lists) return { pieces: [{ value: callList(list, cursor) }], next };
      return { pieces: [{ value: { function: name, args: values } }], next };
    }
    case 'head': {
      const call = at(task, place.call);
      const isNew = !Array.isArray(call) || call.length <= 1;
      return isNew ? { pieces: list.map((value) => ({ value })), next } : { pieces: [{ value: name }] };
    }
    case 'function': {
      const call = at(task, place.call);
      if (isObject(call) && 'args' in call) return { pieces: [{ value: name }] };
      const pieces: Piece[] = [{ value: name }, { key: 'args', value: values }];
      return { pieces, next };
    }
  }
}

/** A call in the form of its siblings: in Python a tuple. */
function callList(list: readonly Json[], { task, path, row }: Cursor): Json {
  const siblings = at(task, path.slice(0, -1));
  const python = row.value !== undefined && Array.isArray(siblings) && siblings.some(isTuple);
  return python ? asTuple([...list]) : list;
}

function callString(name: string, count: number, own: boolean): string {
  return count === 0 && !own ? name : placeholder(`${name}('')`);
}

/** Other spellings of a new call. */
function spelledOut(place: FunctionContext, cursor: Cursor): CompletionProposal[] {
  if (place.call[0] !== 'setup' && place.call[0] !== 'evaluate') return [];
  const value: Json = { function: placeholder(), args: [unquotedPlaceholder()] };
  const list = at(cursor.task, place.call);
  const empty = place.spelling === 'head' && place.call.length === 1 && (!Array.isArray(list) || list.length <= 1);
  if (place.spelling !== 'item' && place.spelling !== 'alone' && !empty) return [];
  return [
    {
      label: '{ function, args }',
      kind: 'value',
      detail: 'a call written out',
      filter: '{ function, args }',
      pieces: [{ value: place.spelling === 'alone' ? [value] : value }],
      rank: 6,
      next: 'completion',
    },
  ];
}
