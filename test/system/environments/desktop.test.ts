import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { inCi } from '../../../scripts/in-ci.ts';
import type { ActionInput } from '../../../src/actions/action.ts';
import type { Json } from '../../../src/base/json.ts';
import { DesktopEnvironment } from '../../../src/environments/desktop/environment.ts';
import { missingPrograms, withoutPrograms } from '../../../src/environments/desktop/programs.ts';
import type { Picture } from '../../../src/environments/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { root } from '../programs.ts';
import { task } from '../server/harness.ts';

const missing = await missingPrograms();
if (missing.length > 0) {
  if (inCi) throw new Error(withoutPrograms(missing));
  console.warn(`Desktops are not tested: ${missing.join(', ')} missing`);
}

/** What programs show a moment after they were told. */
const SOON = { timeout: 60_000, interval: 30 };

let folder: string;
let environment: DesktopEnvironment;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-desktop-'));
  await cp(join(root, 'test', 'fixtures', 'desktop', 'receiver.html'), join(folder, 'receiver.html'));
  environment = new DesktopEnvironment({ browser: () => Promise.reject(new Error('none')), log: () => {} });
});
afterAll(async () => {
  await environment.close();
  await rm(folder, { recursive: true, force: true });
});

function reset(more: Partial<Task> = {}) {
  const desktop = task('', { env: { type: 'hud-ubuntu' }, initial_state: {}, ...more });
  return environment.reset({ task: desktop, files: { folder }, seed: 0 });
}

async function step(...actions: ActionInput[]) {
  const result = await environment.step(actions);
  expect(result.error).toBeNull();
  return result;
}

async function call(phase: 'setup' | 'evaluate', name: string, ...args: Json[]) {
  const context = environment.functionContext();
  const outcome = await runCall({ function: name, args }, phase, context, NO_USER_FUNCTIONS);
  if ('error' in outcome) throw new Error(outcome.error.message);
  return outcome;
}

/** The title of the topmost window, once it is like this. */
function title(wanted: RegExp | string): Promise<string> {
  return vi.waitFor(async () => {
    const [top] = (await environment.observe()).info.windows ?? [];
    expect(top?.title).toMatch(wanted);
    return top?.title ?? '';
  }, SOON);
}

describe.skipIf(missing.length > 0)('a desktop', () => {
  test('starts empty, with a screenshot and a home folder', async () => {
    const { observation, info } = await reset();

    expect(observation.text).toBe('No window is open.');
    expect(observation.screenshot).toMatchObject({ type: 'png', width: 1280, height: 800 });
    expect(info).toMatchObject({ viewport: { width: 1280, height: 800 }, windows: [] });
    const { workspace } = environment.functionContext();
    const { output } = (await workspace?.run('echo $HOME; pwd; touch left', { timeout: 5000 })) ?? {};
    const [home, here] = output?.split('\n') ?? [];
    expect(here).toBe(home);

    await reset();
    expect(await call('evaluate', 'file_exists', 'left')).toMatchObject({ value: 0 });
  });

  test('a text in many scripts arrives unchanged in the text editor', async () => {
    await reset();
    const text = 'Grüße, ÅÉ “x” €5 — 東京 おはよう 안녕 Привет שלום 😀👍\n\tline {2}: ~`^\\|@#$%&*()_+<>?';
    await call('setup', 'write_file', 'note.txt', '');
    await call('setup', 'open', 'note.txt');

    await step({ type: 'type', text }, "keyboard_press('Control+s')");

    await vi.waitFor(
      async () => expect(await call('evaluate', 'file_contains', 'note.txt', text)).toMatchObject({ value: 1 }),
      SOON,
    );
  });

  test('a step ends when the program has processed its input, and also if the program hangs', async () => {
    await reset();
    await call('setup', 'launch', ['sh', '-c', 'echo $$ >pid; exec l3afpad note.txt']);
    const { output } = (await environment.functionContext().workspace?.run('cat pid', { timeout: 5000 })) ?? {};
    const pid = Number(output);
    onTestFinished(() => void process.kill(pid, 'SIGCONT'));

    process.kill(pid, 'SIGSTOP');
    const slow = step("keyboard_type('slow')", "keyboard_press('Control+s')");
    await pause(1000);
    process.kill(pid, 'SIGCONT');
    await slow;
    expect(await call('evaluate', 'file_contains', 'note.txt', 'slow')).toMatchObject({ value: 1 });

    process.kill(pid, 'SIGSTOP');
    await step("keyboard_type('er')");
    await step("keyboard_press('Control+s')");
    expect(await call('evaluate', 'file_contains', 'note.txt', 'slower')).toMatchObject({ value: 0 });
  });

  test.each([
    ['', 0],
    [', also on a machine that has more to do than it can', 2 * availableParallelism()],
  ])('a hundred characters outside any layout arrive in the terminal%s', async (_, busy) => {
    for (let index = 0; index < busy; index++) {
      const loop = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
      onTestFinished(() => void loop.kill('SIGKILL'));
    }
    await reset();
    const text = String.fromCodePoint(...Array.from({ length: 100 }, (_, index) => 0x4e00 + index * 7));
    await call('setup', 'launch', ['xterm', '-e', 'sh', '-c', 'cat > typed.txt']);

    await step({ type: 'type', text, enter_after: true } as ActionInput, "keyboard_press('Control+d')");

    await vi.waitFor(
      async () => expect(await call('evaluate', 'file_contains', 'typed.txt', text)).toMatchObject({ value: 1 }),
      { ...SOON, timeout: 60_000 },
    );
  });

  describe('sends input to a program', () => {
    beforeAll(async () => {
      await reset();
      await call('setup', 'upload_file', 'receiver.html');
      await call('setup', 'open', 'receiver.html');
      await title(/^receiver ready/);
      // A page that is just shown does not hear of everything yet.
      await vi.waitFor(async () => {
        const { info } = await environment.step(['mouse_click(650, 450)', 'noop(50)']);
        expect(info.windows?.[0]?.title).toMatch(/^receiver click/);
      }, SOON);
    }, 180_000);

    test('clicks at their positions and counts', async () => {
      await step('mouse_click(700, 500)');
      await title(/^receiver click none 1 700,500/);
      await step('mouse_dblclick(710, 510)');
      await title(/^receiver click none 2 710,510/);
      await step("mouse_click(720, 520, 'right')");
      await title(/^receiver menu none 720,520/);
    });

    test.each([
      [['ctrl'], 'ctrlKey'],
      [['shift'], 'shiftKey'],
      [['ctrl', 'shift'], 'ctrlKey\\+shiftKey'],
      [['ctrl', 'alt'], 'ctrlKey\\+altKey'],
    ])('of keys that are held for a click: %s', async (keys, held) => {
      for (let again = 0; again < 5; again++) {
        const x = 700 + 10 * again;
        await step({ type: 'click', point: { x, y: 600 }, hold_keys: keys } as ActionInput);
        await title(new RegExp(`^receiver click ${held} 1 ${x},600`));
      }
      // And of none of them afterwards.
      await step('mouse_click(800, 560)');
      await title(/^receiver click none 1 800,560/);
    });

    test('of a drag: where it begins and ends, the way, and the keys that are held', async () => {
      await step('mouse_drag_and_drop(640, 480, 900, 620)');
      const [, points = ''] =
        /^receiver drag none 640,480 900,620 (\d+)/.exec(await title(/^receiver drag none/)) ?? [];
      expect(Number(points)).toBeGreaterThan(10);

      const path = [
        { x: 640, y: 500 },
        { x: 800, y: 500 },
        { x: 800, y: 650 },
      ];
      await step({ type: 'drag', path, hold_keys: ['shift'] } as ActionInput);
      await title(/^receiver drag shiftKey 640,500 800,650/);
    });

    test('of the wheel, each way', async () => {
      await step({ type: 'scroll', point: { x: 700, y: 500 }, scroll: { x: 0, y: 240 } } as ActionInput);
      await title(/^receiver wheel none 0 1/);
      await step({
        type: 'scroll',
        point: { x: 700, y: 500 },
        scroll: { x: 0, y: -120 },
        hold_keys: ['shift'],
      } as ActionInput);
      await title(/^receiver wheel shiftKey/);
    });

    test.each([
      ["keyboard_press('Escape')", 'none Escape'],
      ["keyboard_press('Shift+F8')", 'shiftKey F8'],
      ["keyboard_press('ArrowLeft')", 'none ArrowLeft'],
      [{ type: 'press', keys: ['ctrl', 'shift', 'pagedown'] } as ActionInput, 'ctrlKey\\+shiftKey PageDown'],
      [{ type: 'press', keys: ['volumemute'] } as ActionInput, 'none AudioVolumeMute'],
    ])('of the keys %s', async (action, said) => {
      await step('mouse_click(700, 500)', action);
      await title(new RegExp(`^receiver key ${said}`));
    });

    test('of a text in many scripts', async () => {
      const text = 'Zoë 東京 😀 ﬁn';
      await step('mouse_click(100, 470)', { type: 'type', text });
      await title(new RegExp(`^receiver text ${text}`));
    });
  });

  test('shows its mouse pointer in screenshots and live', async () => {
    await reset();
    const at = async (x: number, y: number) =>
      Buffer.from((await step(`mouse_move(${x}, ${y})`)).observation.screenshot?.data ?? []);
    const [here, there] = [await at(200, 300), await at(900, 500)];
    expect(here.equals(there)).toBe(false);
    expect((await at(200, 300)).equals(here)).toBe(true);

    const pictures: Picture[] = [];
    const stop = await environment.live((picture) => pictures.push(picture));
    await vi.waitFor(() => expect(pictures).toHaveLength(1), SOON);
    await at(900, 500);
    await vi.waitFor(() => expect(Buffer.from(pictures.at(-1)?.data ?? []).equals(there)).toBe(true), SOON);
    await stop();
  });

  test('reports why an action cannot be performed, and continues', async () => {
    await reset();
    const errorOf = async (action: ActionInput) => (await environment.step([action])).error;

    expect(await errorOf("click('12')")).toMatchObject({
      code: 'no_such_element',
      message: expect.stringContaining('mouse_click'),
    });
    expect(await errorOf("goto('https://example.com')")).toMatchObject({ code: 'unknown_action' });
    expect(await errorOf("keyboard_press('Nothing')")).toMatchObject({ code: 'unknown_key' });
    expect(await errorOf('mouse_click(5, 5)')).toBeNull();
  });

  test('coordinates of an agent with smaller screenshots are scaled to the screen', async () => {
    await reset();
    const { info } = await environment.step(['mouse_click(320, 200)'], { width: 640, height: 400 });
    expect(info.acted).toMatchObject([{ point: { x: 640, y: 400 } }]);
  });

  test('windows are activated, and the clipboard is read', async () => {
    await reset();
    await call('setup', 'write_file', 'code.txt', 'K7 ✓');
    await call('setup', 'open', 'code.txt');
    await call('setup', 'launch', 'xterm -T Somewhere');
    expect((await environment.observe()).info.windows).toMatchObject([
      { title: 'Somewhere', app: 'XTerm', active: true },
      { title: 'code.txt', active: false },
    ]);

    await call('setup', 'activate_window', 'CODE');
    await title('code.txt');
    await step("keyboard_press('Control+a')", "keyboard_press('Control+c')");

    await vi.waitFor(
      async () => expect(await call('evaluate', 'clipboard_is', 'K7 ✓')).toMatchObject({ value: 1 }),
      SOON,
    );
    expect(await call('evaluate', 'window_exists', 'somewhere')).toMatchObject({ value: 1 });
    expect(await call('evaluate', 'window_exists', 'gimp')).toMatchObject({
      value: 0,
      reason: expect.stringContaining('open windows: “code.txt” (L3afpad), “Somewhere” (XTerm)'),
    });
  });

  test('setup calls prepare it, under each name', async () => {
    await reset();
    await call('setup', 'download', 'receiver.html', 'Pages/copied.html');
    await call('setup', 'execute', 'mkdir -p Reports && echo done > Reports/a.txt');
    await call('setup', 'execute', ['cp', 'Reports/a.txt', 'b c.txt']);
    const start = performance.now();
    await call('setup', 'sleep', 0.2);
    expect(performance.now() - start).toBeGreaterThan(190);
    await call('setup', 'open', 'Reports');
    await title('Reports');

    expect(await call('evaluate', 'file_contains', 'Pages/copied.html', 'receiver ready')).toMatchObject({ value: 1 });
    expect(await call('evaluate', 'file_exists', 'b c.txt')).toMatchObject({ value: 1 });
    expect(await call('evaluate', 'window_exists', 'pcmanfm')).toMatchObject({ value: 1 });
    expect(await call('evaluate', 'command_output_matches', 'ls Reports', '^a.txt$')).toMatchObject({ value: 1 });
    expect(await call('evaluate', 'command_output_matches', 'ls Reports', 'b')).toMatchObject({
      value: 0,
      reason: expect.stringContaining('last output: “a.txt”'),
    });
  });

  test('the steps of an OSWorld config run before the setup calls, with the programs of this desktop', async () => {
    const step = (type: string, parameters: Json) => ({ type, parameters });
    const steps = [
      step('upload_file', { files: [{ local_path: 'receiver.html', path: '/home/user/Desktop/page.html' }] }),
      step('execute', { command: ['cp', '/home/user/Desktop/page.html', '/home/user/copy.html'] }),
      step('command', { command: 'echo once > note.txt' }),
      step('launch', { command: ['gnome-terminal', '-T', 'Somewhere'] }),
      step('open', { path: '/home/user/note.txt' }),
      step('sleep', { seconds: 0 }),
      step('activate_window', { window_name: 'Somewhere' }),
    ];
    const env = { type: 'OSWorld-Ubuntu', config: { snapshot: 'os', config: steps } };
    const { info } = await reset({ env });

    expect(info.windows).toMatchObject([{ title: 'Somewhere', active: true }, { title: 'note.txt' }]);
    expect(await call('evaluate', 'file_contains', 'copy.html', 'receiver ready')).toMatchObject({ value: 1 });
    expect(await call('evaluate', 'file_contains', 'note.txt', 'once')).toMatchObject({ value: 1 });
  });

  test('a failed step of an OSWorld config ends the run with a reason', async () => {
    const config = { config: [{ type: 'open', parameters: { path: '/home/user/none.txt' } }] };
    await expect(reset({ env: { type: 'OSWorld-Ubuntu', config } })).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('the file “none.txt” does not exist'),
    });
  });

  test('a setup call that fails explains what to do', async () => {
    await reset();
    const failure = (name: string, ...args: Json[]) =>
      call('setup', name, ...args).then(String, (error: Error) => error.message);

    expect(await failure('launch', ['no-such-program'])).toContain('this desktop has no program “no-such-program”');
    expect(await failure('launch', 'echo too bad >&2; exit 3')).toContain('exited with code 3: too bad');
    expect(await failure('execute', ['sh', '-c', 'echo oh; exit 2'])).toMatch(/exited with code 2.*oh/);
    expect(await failure('open', 'nothing.txt')).toContain('the file “nothing.txt” does not exist');
    expect(await failure('upload_file', 'nothing.txt')).toContain(
      'the file “nothing.txt” does not exist next to the task',
    );
    expect(await failure('upload_file', '../secret')).toContain('leads out of the folder');
    expect(await failure('upload_file', 'receiver.html', '../../out.html')).toContain('leads out of the folder');
    expect(await failure('download', 'https://example.com/a')).toContain('put the file next to the task');
  });

  test('live frames are sent while something changes, until they are no longer requested', async () => {
    await reset();
    const pictures: Picture[] = [];
    const stop = await environment.live((picture) => pictures.push(picture));
    await vi.waitFor(() => expect(pictures).toHaveLength(1), SOON);

    await call('setup', 'launch', ['xterm']);
    await vi.waitFor(() => expect(pictures.length).toBeGreaterThan(1), SOON);

    await stop();
    const before = pictures.length;
    await step({ type: 'type', text: 'echo more', enter_after: true } as ActionInput);
    expect(pictures).toHaveLength(before);
  });

  test('a program that was killed is reported in the next step', async () => {
    await reset();
    await call('setup', 'launch', ['xterm']);
    await environment.functionContext().workspace?.run('kill -9 $(pgrep -n -x xterm)', { timeout: 5_000 });

    await vi.waitFor(async () => {
      const { info } = await environment.observe();
      expect(info.messages).toEqual([
        { kind: 'error', text: expect.stringContaining('“xterm” was terminated by SIGKILL') },
      ]);
    }, SOON);
    expect((await environment.observe()).info.windows).toEqual([]);
  });

  test('the response of an agent counts, and an impossible task ends the run', async () => {
    await reset();
    expect((await step("response('42')")).terminated).toBe(false);
    expect(environment.functionContext().response).toBe('42');
    expect((await step("report_infeasible('no')")).terminated).toBe(true);
  });
});
