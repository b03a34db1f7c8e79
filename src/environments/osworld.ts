import * as z from 'zod';
import type { Json } from '../tasks/task.ts';

const command = z.union([z.string().min(1), z.array(z.string()).min(1)]);
const copies = z.array(z.object({ local_path: z.string().min(1), path: z.string().min(1) }));

/** The steps of OSWorld's `config` that a desktop of ours does (OSWorld, `desktop_env/controllers/setup.py`). */
const stepSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('launch'), parameters: z.object({ command }) }),
  z.object({ type: z.literal('execute'), parameters: z.object({ command }) }),
  z.object({ type: z.literal('command'), parameters: z.object({ command }) }),
  z.object({ type: z.literal('open'), parameters: z.object({ path: z.string().min(1) }) }),
  z.object({ type: z.literal('activate_window'), parameters: z.object({ window_name: z.string().min(1) }) }),
  z.object({ type: z.literal('sleep'), parameters: z.object({ seconds: z.number().min(0).max(600) }) }),
  z.object({ type: z.literal('upload_file'), parameters: z.object({ files: copies }) }),
]);
export type OsworldStep = z.infer<typeof stepSchema>;

const KNOWN_STEPS: readonly string[] = stepSchema.options.map(({ shape }) => shape.type.value);

/** What OSWorld's `config` object asks for before a task: steps to do, and in words what is missing here. */
export function readOsworld(config: Json | undefined): {
  readonly steps: readonly OsworldStep[];
  readonly missing: readonly string[];
} {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return { steps: [], missing: [] };
  const { config: listed, evaluator } = config as { readonly [key: string]: Json };
  const steps: OsworldStep[] = [];
  const missing: string[] = [];
  for (const step of Array.isArray(listed) ? listed : []) {
    const parsed = stepSchema.safeParse(step);
    if (parsed.success) steps.push(parsed.data);
    else missing.push(whyNot(step));
  }
  if (typeof evaluator === 'object' && evaluator !== null) {
    const { func } = evaluator as { readonly [key: string]: Json };
    const named = [func].flat().filter((one) => typeof one === 'string');
    missing.push(
      `OSWorld's evaluator${named.length === 0 ? '' : ` ${named.join(', ')}`} (write its check as "evaluate")`,
    );
  }
  return { steps, missing: [...new Set(missing)] };
}

function whyNot(step: Json): string {
  const type = typeof step === 'object' && step !== null && 'type' in step ? step['type'] : null;
  if (type === 'download') return 'the step “download” (put the files beside the task, and name them in “upload_file”)';
  if (typeof type !== 'string') return 'a step without a type';
  return KNOWN_STEPS.includes(type) ? `the parameters of the step “${type}”` : `the step “${type}”`;
}

/** Where OSWorld's machine has a file that it names: ours relative to the home. */
export function osworldPath(path: string): string {
  return path.replace(/^(?:\/home\/[^/]+|~)\//, '');
}
