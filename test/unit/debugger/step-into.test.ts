import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { terminalHost } from '../../../src/cli/debug-host.ts';
import { Breakpoints } from '../../../src/debugger/breakpoints.ts';
import { DebugError, type Stop } from '../../../src/debugger/debuggee.ts';
import type { ChildDebugger, FunctionDebuggers, PythonTarget, ScriptTarget } from '../../../src/debugger/host.ts';
import { LiveDebuggee } from '../../../src/debugger/live.ts';
import { framesAt } from '../../../src/debugger/stack.ts';
import { StepInto } from '../../../src/debugger/step-into.ts';
import type { Params } from '../../../src/server/protocol.ts';
import { FakePlacement, verdict } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';

const TASK = `{
  "id": "cart",
  "prompt": "Fill it.",
  "gym": "hud-browser",
  "evaluate": [
    {"function": "cart_total", "args": [3]},
    {"function": "page_contains", "args": ["a"]}
  ]
}`;

const CLASSES = `
@register_custom_task("cart")
class Cart(CustomBrowserGymEnvironment):
    def _get_html_content(self): ...
    def _calculate_reward(self, page_data, action, error): ...
    def _check_done(self, page_data): ...
`;

const SCRIPT = `
export const cart_total = (_: object, least: number) => least > 0;
class Cart extends CustomBrowserTask {
  html() {}
  reward() {}
  done() {}
}
registerCustomTask('in-script', Cart);
`;

const open: LiveDebuggee[] = [];
afterEach(async () => {
  for (const debuggee of open.splice(0)) await debuggee.end();
});

interface Cart {
  /** The environment. */
  readonly gym?: string;
  /** The function is in Python. */
  readonly python?: boolean;
  readonly hasBreakpoints?: () => boolean;
  /** What is attached, in either language. */
  readonly attached?: (ScriptTarget | PythonTarget)[];
  readonly attach?: () => Promise<void>;
  /** The user changes a value in each function. */
  readonly edits?: boolean;
  /** Called when the editor pauses the function. */
  readonly pauses?: () => void;
  /** The function runs until this resolves. */
  readonly runs?: Promise<void>;
  /** The person leaves each function at once. */
  readonly leaves?: boolean;
  /** The editor has no debuggers for functions. */
  readonly plain?: boolean;
}

/** A run in an editor that has debuggers for functions. */
async function cart(of: Cart = {}) {
  const cwd = await temporaryFolder();
  const file = await fileIn(cwd, 'cart.task.json', of.gym === undefined ? TASK : TASK.replace('"hud-browser"', of.gym));
  await fileIn(cwd, 'classes.py', CLASSES);
  if (of.python === true) await fileIn(cwd, 'cart.functions.py', 'def cart_total(least: float):\n    return True\n');
  else await fileIn(cwd, 'cart.functions.ts', SCRIPT);
  await fileIn(cwd, 'cart.actions', "click('1')");
  let leave = (): void => {};
  const placement = new FakePlacement({
    evaluate: async () => {
      leave();
      await of.runs;
      return verdict(1);
    },
  });
  const child: ChildDebugger<ScriptTarget | PythonTarget> = {
    hasBreakpoints: of.hasBreakpoints ?? (() => false),
    attach: async (place, events) => {
      await of.attach?.();
      if ('open' in place) await place.open(() => {});
      of.attached?.push(place);
      if (of.leaves === true) leave = events.steppedOut;
      if (of.edits === true) events.edited();
    },
    whenSettled: async () => {},
    pause: async () => void of.pauses?.(),
    isPaused: false,
  };
  const debuggers: FunctionDebuggers | undefined = of.plain === true ? undefined : { scripts: child, python: child };
  const host = {
    ...terminalHost({ cwd, keep: { days: null, size: null }, placement: async () => placement }),
    debuggers,
  };
  const stops: ((stop: Stop | null) => void)[] = [];
  const said: string[] = [];
  const debuggee = new LiveDebuggee(
    host,
    {
      task: await host.find(`${file}#cart`),
      ...{ agent: undefined, placement: undefined, seed: 0, debugged: true, stopOnEntry: true, keepEnvironment: false },
      ...{ breakpoints: new Breakpoints(), debuggers },
    },
    {
      stopped: (stop) => stops.shift()?.(stop),
      output: (_category, text) => said.push(text),
      ended: () => stops.shift()?.(null),
    },
  );
  open.push(debuggee);
  /** Where it stands next: the reason and the top of the stack. */
  const next = async (go: () => void): Promise<string | null> => {
    const stopped = new Promise<Stop | null>((resolve) => stops.push(resolve));
    go();
    const stop = await stopped;
    return stop === null || debuggee.state === null ? null : `${stop.reason}: ${framesAt(debuggee.state)[0]?.name}`;
  };
  const asked = () =>
    placement.requests
      .filter(({ method }) => method === 'session.evaluate')
      .map(({ params }) => (params as Params<'session.evaluate'>).pause ?? false);
  const begin = () => next(() => debuggee.start());
  const go = (how: 'into' | 'next' | 'continue') => next(() => debuggee.resume(how));
  return { begin, go, next, asked, said, file, placement, debuggee };
}

describe('stepping into a user-defined function', () => {
  it('stops in it, then after its call, and continues from there', async () => {
    const attached: ScriptTarget[] = [];
    const { begin, go, asked, file } = await cart({ attached });
    expect(await begin()).toBe("entry: step 1: click('1')");
    expect(await go('next')).toBe('step: cart_total(3)');
    expect(await go('into')).toBe('step: cart_total(3) → 1');
    expect(attached).toEqual([{ port: 9229, folder: '/tasks', taskFile: file }]);
    expect(await go('next')).toBe('step: page_contains("a")');
    // There is nothing of a person's to step into.
    expect(await go('into')).toBe('step: page_contains("a") → 1');
    expect(asked()).toEqual([true, false]);
    expect(await go('continue')).toBeNull();
  });

  it('opens the session to a JavaScript debugger only on request', async () => {
    const { begin, go, placement } = await cart();
    await begin();
    expect(await go('next')).toBe('step: cart_total(3)');
    expect(await go('continue')).toBeNull();
    expect(placement.methods).not.toContain('session.inspect');
  });

  it('attaches for breakpoints in scripts, and stops after a call whose function the user stepped out of', async () => {
    const { begin, go, asked } = await cart({ hasBreakpoints: () => true, leaves: true });
    await begin();
    expect(await go('continue')).toBe('step: cart_total(3) → 1');
    expect(asked()).toEqual([false]);
  });

  it('steps into a Python function, without stopping the session', async () => {
    const attached: PythonTarget[] = [];
    const { begin, go, asked, file, placement } = await cart({ python: true, attached: attached as never });
    await begin();
    await go('next');
    expect(await go('into')).toBe('step: cart_total(3) → 1');
    expect(attached).toEqual([
      { open: expect.any(Function), file: join(dirname(file), 'cart.functions.py'), taskFile: file },
    ]);
    expect(asked()).toEqual([false]);
    expect(placement.methods).not.toContain('session.inspect');
    const [debugged] = placement.requests.filter(({ method }) => method === 'session.debugPython');
    expect(debugged?.params).toMatchObject({ file: 'cart.task.json', function: 'cart_total' });
  });

  it('stops at breakpoints in a Python function, and after it if the user stepped out of it', async () => {
    const attached: PythonTarget[] = [];
    const { begin, go } = await cart({
      ...{ python: true, hasBreakpoints: () => true, leaves: true, attached: attached as never },
    });
    await begin();
    expect(await go('continue')).toBe('step: cart_total(3) → 1');
    expect(attached.map(({ file }) => file)).toEqual([null]);
  });

  it('stops at breakpoints in a task class in Python, whose methods are part of the reset and of actions', async () => {
    const attached: PythonTarget[] = [];
    const { begin, go, file, placement } = await cart({
      ...{ gym: '{"type": "browsergym", "benchmark": "custom", "task_name": "cart"}' },
      ...{ python: true, hasBreakpoints: () => true, attached: attached as never },
    });
    await begin();
    const target = { open: expect.any(Function), file: null, taskFile: file };
    expect(attached).toEqual([target]);
    expect(placement.methods.slice(0, 4)).toEqual([
      ...['session.open', 'session.provideFiles', 'session.debugPython', 'session.reset'],
    ]);
    expect(await go('next')).toBe('step: cart_total(3)');
    expect(attached).toEqual([target, target]);
    const debugged = placement.requests.filter(({ method }) => method === 'session.debugPython');
    const asked = { session: 's1', file: 'cart.task.json', function: null };
    expect(debugged.map(({ params }) => params)).toEqual([{ ...asked, folder: '/tasks' }, asked]);
    expect(placement.methods).not.toContain('session.inspect');
  });

  it('attaches for breakpoints in a task class in TypeScript before the reset', async () => {
    const attached: ScriptTarget[] = [];
    const { begin, file, placement } = await cart({
      ...{ gym: '{"type": "browsergym", "benchmark": "custom", "task_name": "in-script"}' },
      ...{ hasBreakpoints: () => true, attached },
    });
    await begin();
    expect(attached).toEqual([{ port: 9229, folder: '/tasks', taskFile: file }]);
    expect(placement.methods.slice(0, 4)).toEqual([
      ...['session.open', 'session.provideFiles', 'session.inspect', 'session.reset'],
    ]);
  });

  it('opens Python to a debugger only on request', async () => {
    const { begin, go, placement } = await cart({ python: true });
    await begin();
    expect(await go('next')).toBe('step: cart_total(3)');
    expect(await go('continue')).toBeNull();
    expect(placement.methods).not.toContain('session.debugPython');
  });

  it('steps over a Python function with a message if the editor has no debugger for it', async () => {
    const { begin, go, said, asked } = await cart({ python: true, plain: true });
    await begin();
    await go('next');
    expect(await go('into')).toBe('step: page_contains("a")');
    expect(said).toContain('cart_total is a Python function (cart.functions.py) and is stepped over.');
    expect(asked()).toEqual([false]);
  });

  it('steps over it with a reason if it cannot be entered', async () => {
    const { begin, go, said } = await cart({
      attach: () => Promise.reject(new DebugError('the JavaScript debugger did not start')),
    });
    await begin();
    await go('next');
    expect(await go('into')).toBe('step: page_contains("a")');
    expect(said).toContain('cart_total cannot be stepped into: the JavaScript debugger did not start');
  });

  it('marks the run as edited when another debugger changed a value', async () => {
    const { begin, go, debuggee } = await cart({ hasBreakpoints: () => true, edits: true });
    await begin();
    await go('next');
    expect(debuggee.edited).toBe(false);
    await go('next');
    expect(debuggee.edited).toBe(true);
  });

  it('pauses in a running function, and continues to the next stop', async () => {
    const runs = Promise.withResolvers<void>();
    const pauses = vi.fn();
    const attached: ScriptTarget[] = [];
    const { begin, next, debuggee, placement, file } = await cart({ runs: runs.promise, pauses, attached });
    await begin();
    debuggee.resume('continue');
    await vi.waitFor(() => expect(placement.methods).toContain('session.evaluate'));
    debuggee.pause();
    await vi.waitFor(() => expect(pauses).toHaveBeenCalledOnce());
    expect(attached).toEqual([{ port: 9229, folder: '/tasks', taskFile: file }]);
    expect(await next(() => runs.resolve())).toBeNull();
  });

  it.each([
    ['an editor without debuggers', { plain: true }, 'The run pauses when cart_total returns.'],
    ['a Python function', { python: true }, 'To stop in a Python function, set a breakpoint in it.'],
    [
      'a debugger that does not attach',
      { attach: () => Promise.reject(new Error('It did not attach.')) },
      'cart_total cannot be paused: It did not attach. The run pauses when cart_total returns.',
    ],
  ])('prints when the run pauses if a function cannot be paused: %s', async (_, of, words) => {
    const runs = Promise.withResolvers<void>();
    const { begin, next, debuggee, placement, said } = await cart({ ...of, runs: runs.promise });
    await begin();
    debuggee.resume('continue');
    await vi.waitFor(() => expect(placement.methods).toContain('session.evaluate'));
    debuggee.pause();
    await vi.waitFor(() => expect(said.join('\n')).toContain(words));
    expect(await next(() => runs.resolve())).toBe('pause: page_contains("a")');
  });
});

describe('the code of an environment', () => {
  const stepInto = (python: object, isInContainer = false) => {
    const print = vi.fn();
    const events = { steppedOut: () => {}, edited: () => {} };
    const debuggers = { scripts: {}, python } as unknown as FunctionDebuggers;
    const into = new StepInto(debuggers, '/w/a.task.json', print, events);
    return { environment: into.environment(isInContainer), print };
  };
  const send = async () => {};
  const hudLab = { type: 'hud', name: 'lab' };

  it('is debugged if there is a breakpoint in Python', async () => {
    expect(stepInto({ hasBreakpoints: () => false }).environment).toBeUndefined();
    const opened: unknown[] = [];
    const attach = async (target: PythonTarget) => {
      opened.push({ ...(await target.open(() => {})), file: target.file, taskFile: target.taskFile });
    };
    await stepInto({ hasBreakpoints: () => true, attach }).environment?.(async () => ({ send }));
    expect(opened).toEqual([{ folder: '/w', entry: null, programs: [], send, file: null, taskFile: null }]);
  });

  it('is not debugged in a container, which is said if there is a breakpoint in Python', () => {
    const without = stepInto({ hasBreakpoints: () => false }, true);
    expect(without.environment).toBeUndefined();
    expect(without.print).not.toHaveBeenCalled();
    const { environment, print } = stepInto({ hasBreakpoints: () => true }, true);
    expect(environment).toBeUndefined();
    expect(print.mock.calls).toEqual([['console', expect.stringContaining('runs in a container')]]);
  });

  it.each([
    ['its folder on this machine', 'local', hudLab, true],
    ['its folder in Docker', 'docker', hudLab, false],
    ['an image', 'docker', { ...hudLab, runtime_config: { image: 'lab:1' } }, false],
    ['an OpenEnv folder on this machine', 'local', { type: 'openenv', folder: './lab' }, true],
    ['an OpenEnv folder in Docker', 'docker', { type: 'openenv', folder: './lab' }, false],
    ['an OpenEnv image', 'docker', { type: 'openenv', image: 'lab:1' }, false],
  ] as const)('is debugged where a debugger reaches it: %s', (_, placement, env, isAttached) => {
    const said: string[] = [];
    const debuggee = new LiveDebuggee(
      {} as never,
      {
        task: { file: '/w/a.task.json', env },
        breakpoints: new Breakpoints(),
        debuggers: { scripts: {}, python: { hasBreakpoints: () => true } },
      } as never,
      { output: (_category: string, text: string) => said.push(text) } as never,
    );
    expect(debuggee.attachPython(placement) !== undefined).toBe(isAttached);
    expect(said).toEqual(isAttached ? [] : [expect.stringContaining('runs in a container')]);
  });

  it('runs without a debugger that does not attach, which is said', async () => {
    const attach = async ({ open: connect }: PythonTarget) => void (await connect(() => {}));
    const { environment, print } = stepInto({ hasBreakpoints: () => true, attach });
    await environment?.(async () => {
      throw new Error('python3 does not have the package debugpy');
    });
    const said = 'The code of the environment cannot be stopped in: python3 does not have the package debugpy';
    expect(print.mock.calls).toEqual([['stderr', said]]);
  });
});
