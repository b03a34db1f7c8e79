import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import type { StepResult } from '../../../src/environments/environment.ts';
import { launch, PATIENT, serve, showing } from './stage.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
});
beforeEach(() => {
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, PATIENT);
  return () => environment.close();
});

const click = "click('button')";

/** A page with one button. */
function open(onclick: string, more = '', metadata: JsonObject = {}): Promise<StepResult> {
  return showing(environment, `<title>start</title><button onclick="${onclick}">x</button>${more}`, {}, { metadata });
}

/** The texts of the messages about dialogs. */
function dialogTexts({ info }: StepResult): readonly string[] {
  return (info.messages ?? []).filter(({ kind }) => kind === 'dialog').map(({ text }) => text);
}

describe('a dialog waits for the agent', () => {
  it('confirm: the step ends with it, and it is answered either way', async () => {
    const before = await open("document.title = confirm('Delete it?')");
    const withDialog = await environment.step([click]);
    expect(withDialog.error).toBeNull();
    expect(withDialog.observation.dialog).toEqual({ type: 'confirm', message: 'Delete it?' });
    expect(withDialog.observation.text).toBe(before.observation.text);
    expect(withDialog.observation.screenshot).toEqual(before.observation.screenshot);
    expect(withDialog.recorded?.page).toEqual(before.recorded?.page);
    expect(withDialog.info.acted?.[0]?.element).toBe('button “x”');

    const afterOk = await environment.step(['handle_dialog(True)']);
    expect(afterOk.error).toBeNull();
    expect(afterOk.observation.dialog).toBeUndefined();
    expect(afterOk.info.title).toBe('true');
    expect(dialogTexts(afterOk)).toEqual(['confirm “Delete it?” was accepted']);

    await environment.step([click]);
    const afterCancel = await environment.step([{ type: 'handle_dialog', accept: false }]);
    expect(afterCancel.info.title).toBe('false');
    expect(dialogTexts(afterCancel)).toEqual(['confirm “Delete it?” was dismissed']);
  });

  it('prompt: with a text, with the text in its field, and dismissed', async () => {
    await open("document.title = prompt('How many?', '1')");
    const titles: (string | undefined)[] = [];
    for (const answer of ["handle_dialog(True, 'three')", 'handle_dialog(True)', 'handle_dialog(False)']) {
      const { observation } = await environment.step([click]);
      expect(observation.dialog).toEqual({ type: 'prompt', message: 'How many?', default_value: '1' });
      titles.push((await environment.step([answer])).info.title);
    }
    expect(titles).toEqual(['three', '1', 'null']);
  });

  it('several one after the other: each answer opens the next', async () => {
    await open("document.title = confirm('first') + ' ' + prompt('second')");
    expect((await environment.step([click])).observation.dialog?.message).toBe('first');
    const next = await environment.step(['handle_dialog(True)']);
    expect(next.observation.dialog).toEqual({ type: 'prompt', message: 'second' });
    const end = await environment.step(["handle_dialog(True, 'Ada')"]);
    expect(end.observation.dialog).toBeUndefined();
    expect(end.info.title).toBe('true Ada');
  });

  it('the other actions fail until then, also those of the same answer; a response does not', async () => {
    await open("document.title = confirm('sure?')", '<input id=i>');
    const result = await environment.step([click, "fill('#i', 'a')"]);
    const message =
      'a confirm dialog is open: “sure?”. First answer it with handle_dialog(True) or handle_dialog(False)';
    expect(result.error).toEqual({ code: 'dialog_open', message });
    for (const action of ["goto('about:blank')", 'noop(10)', 'tab_close()', "keyboard_press('Enter')", 'screenshot()'])
      expect((await environment.step([action])).error?.code).toBe('dialog_open');
    const afterResponse = await environment.step(["response('done')"]);
    expect(afterResponse.error).toBeNull();
    expect(afterResponse.observation.dialog?.message).toBe('sure?');
    const free = await environment.step(['handle_dialog(True)', "fill('#i', 'a')"]);
    expect(free.error).toBeNull();
    expect((await environment.step(['handle_dialog(True)'])).error).toEqual({
      code: 'dialog_missing',
      message: 'no dialog is open',
    });
  });

  it('whatever opens it: keys, a field, a frame, a timer, a new window', async () => {
    const frame = "<button onclick='parent.document.title = confirm(`frame`)'>y</button>";
    await open(
      "const tab = window.open(''); setTimeout(() => tab.confirm('window'), 1500)",
      `<input id=keys onkeydown="confirm('keys')"><input id=field oninput="confirm('field')">
       <iframe srcdoc="${frame.replaceAll('"', '&quot;')}"></iframe>
       <a id=later href=# onclick="setTimeout(() => confirm('timer'), 300)">later</a>`,
    );
    const message = async (...actions: readonly string[]): Promise<string | undefined> => {
      const { error, observation } = await environment.step(actions);
      expect(error).toBeNull();
      return observation.dialog?.message;
    };
    const dismiss = async (): Promise<void> => expect(await message('handle_dialog(False)')).toBeUndefined();
    expect(await message("press('#keys', 'a')")).toBe('keys');
    await dismiss();
    expect(await message("fill('#field', 'a')")).toBe('field');
    await dismiss();
    expect(await message("click('iframe >> internal:control=enter-frame >> button')")).toBe('frame');
    await dismiss();
    expect(await message("click('#later')")).toBeUndefined();
    expect(await message('noop(1500)')).toBe('timer');
    await dismiss();
    expect(await message(click)).toBeUndefined();
    expect(await message('noop(3000)')).toBe('window');
    await dismiss();
  });

  it('one that opens between two steps', async () => {
    await open("setTimeout(() => { document.title = confirm('late') }, 200)");
    await environment.step([click]);
    await expect.poll(async () => (await environment.observe()).observation.dialog?.message).toBe('late');
    expect((await environment.step([click])).error?.code).toBe('dialog_open');
    expect((await environment.step(['handle_dialog(True)'])).info.title).toBe('true');
  });

  it('what it interrupted goes on: a text is typed to its end', async () => {
    await open('', `<input id=i onkeydown="if (event.key === 'b') document.title = confirm('b?')">`);
    await environment.step(["click('#i')"]);
    expect((await environment.step(["keyboard_type('abc')"])).observation.dialog?.message).toBe('b?');
    const after = await environment.step(['handle_dialog(True)']);
    expect(after.info.title).toBe('true');
    expect(after.observation.text).toMatch(/textbox '' value='abc'|textbox.*abc/);
  });

  it('the pointer finds no element, and the end of the run dismisses it', async () => {
    await open("document.title = confirm('sure?')");
    await environment.step([click]);
    expect(await environment.pointed({ x: 10, y: 10 })).toBeNull();
    const end = await environment.finish();
    expect(end.observation.dialog).toBeUndefined();
    expect(end.info.title).toBe('false');
    expect(dialogTexts(end)).toEqual(['confirm “sure?” was dismissed']);
    // Nobody is there any more.
    expect(dialogTexts(await environment.step([click]))).toEqual(['confirm “sure?” was dismissed']);
  });

  it('a call dismisses it, and dialogs that open meanwhile', async () => {
    await open("document.title = [confirm('one'), confirm('two')]");
    await environment.step([click]);
    const end = await environment.startCall();
    expect(await environment.functionContext().page?.title()).toBe('false,false');
    end();
    expect((await environment.step([click])).observation.dialog?.message).toBe('one');
  });

  it('another task starts, and the environment closes', async () => {
    await open("confirm('sure?')");
    expect((await environment.step([click])).observation.dialog?.message).toBe('sure?');
    expect((await open("confirm('again?')")).info.title).toBe('start');
    expect((await environment.step([click])).observation.dialog?.message).toBe('again?');
    await environment.close();
  });
});

describe('a dialog that does not wait', () => {
  it('alerts are accepted', async () => {
    await open("alert('hi'); document.title = 'after'");
    const result = await environment.step([click]);
    expect(result.info.title).toBe('after');
    expect(dialogTexts(result)).toEqual(['alert “hi” was accepted']);
  });

  it('those of a page that loads or is left are answered', async () => {
    const server = await serve({
      '/': { body: `<script>document.title = confirm('in')</script><body onload="document.title += confirm('load')">` },
    });
    const first = await open(
      '',
      `<script>addEventListener('beforeunload', (event) => event.preventDefault());</script>`,
    );
    expect(first.error).toBeNull();
    await environment.step([click]);
    const result = await environment.step([`goto('${server.url}/')`]);
    expect(result.observation.dialog).toBeUndefined();
    expect(result.info.title).toBe('falsefalse');
    expect(dialogTexts(result)).toEqual(
      expect.arrayContaining(['confirm “in” was dismissed', 'confirm “load” was dismissed']),
    );
    await server.close();
  });

  it.each([
    ['accept', 'true 1', 'accepted'],
    ['dismiss', 'false null', 'dismissed'],
  ])('`metadata.dialogs` is %s', async (dialogs, title, how) => {
    await open("document.title = confirm('sure?') + ' ' + prompt('n', '1')", '', { dialogs });
    const result = await environment.step([click]);
    expect(result.info.title).toBe(title);
    expect(dialogTexts(result)).toEqual([`confirm “sure?” was ${how}`, `prompt “n” was ${how}`]);
  });

  it('a listener of a setup function answers', async () => {
    await open("document.title = prompt('name?')");
    const end = await environment.startCall();
    environment.functionContext().page?.on('dialog', (dialog) => void dialog.accept('Ada'));
    end();
    const result = await environment.step([click]);
    expect(result.observation.dialog).toBeUndefined();
    expect(result.info.title).toBe('Ada');
    expect(dialogTexts(result)).toEqual(['prompt “name?” was answered by a function of the task']);
  });

  it('a listener that does not answer leaves it to the agent', async () => {
    await open("document.title = confirm('sure?')");
    environment.functionContext().page?.on('dialog', () => undefined);
    expect((await environment.step([click])).observation.dialog?.message).toBe('sure?');
    expect((await environment.step(['handle_dialog(True)'])).info.title).toBe('true');
  });
});
