import type { EnvironmentKind } from '../functions/declaration.ts';
import { list } from '../functions/words.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';
import { environmentTypes, isOtherBenchmark, KNOWN, kindOfType, RUN_BENCHMARKS, SUPPORTED } from './kinds.ts';
import { readOsworld } from './osworld.ts';

/** Which of our environments runs a task, or a sentence that says why none does. */
export function environmentKind(
  spec: EnvironmentSpec,
): { readonly kind: EnvironmentKind } | { readonly unsupported: string; readonly known: boolean } {
  if (isOtherBenchmark(spec)) {
    const runs = list(RUN_BENCHMARKS.map((name) => `“${name}”`));
    const unsupported = `This version of Taskwright does not run BrowserGym's benchmark “${spec['benchmark']}” yet; it runs ${runs}`;
    return { known: true, unsupported };
  }
  const kind = kindOfType(spec);
  const { missing } = kind === 'desktop' ? readOsworld(spec['config']) : { missing: [] };
  if (missing.length > 0) {
    const unsupported = `This version of Taskwright has a desktop for this task, but not what its "config" asks for: ${list(missing)}`;
    return { known: true, unsupported };
  }
  if (kind !== null) return { kind };
  const known = Object.hasOwn(KNOWN, spec.type);
  const named = (known ? (KNOWN[spec.type] ?? []) : ['image', 'name'])
    .map((key) => spec[key])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(', ');
  const what = `“${spec.type}”${named === '' ? '' : ` (${named})`}`;
  const runs = `it runs ${list(Object.keys(SUPPORTED))}`;
  return known
    ? { known, unsupported: `This version of Taskwright does not run environments of type ${what} yet; ${runs}` }
    : {
        known,
        unsupported: `There is no environment of type ${what}; Taskwright knows ${environmentTypes.join(', ')}`,
      };
}
