import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { requireSuccess } from './command-functions.ts';
import type { Desktop, FunctionContext, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { differenceIn, differenceOf } from './differences.ts';
import { excerpt, firstHint, hintFirst, quote } from './words.ts';
import { command, commandMs, path, seconds, timeoutOf, workspaceOf } from './workspace.ts';

/** A command line, or a list of a program and its arguments. */
const program = z.union([command, z.array(z.string()).min(1)], {
  error: 'expected a command line, or a list of a program and its arguments',
});

const SETUP = { phase: 'setup', needs: ['windows'] } as const;

/** Setup functions of desktops. */
export const desktopSetup = [
  declare({
    name: 'launch',
    ...SETUP,
    args: z.tuple([program]),
    parameters: ['command'],
    doc: 'Starts a program on the desktop and waits for its window: a list of a program and its arguments, or a command line.',
    run: (context, line) => desktopOf(context).launch(line),
  }),
  declare({
    name: 'execute',
    ...SETUP,
    args: z.tuple([program, seconds]),
    parameters: ['command', 'timeout_s?'],
    workMs: commandMs(1),
    doc: 'Runs a command in the home folder of the desktop and waits until it exits. Any exit code but 0 is an error.',
    async run(context, line, limit) {
      const options = { timeout: timeoutOf(limit) };
      requireSuccess(
        await (typeof line === 'string'
          ? workspaceOf(context).run(line, options)
          : desktopOf(context).run(line, options)),
      );
    },
  }),
  declare({
    name: 'open',
    ...SETUP,
    args: z.tuple([z.string().min(1)]),
    parameters: ['path'],
    doc: 'Opens a URL or a page in the browser, a folder in the file manager, or any other file in the text editor. Paths are relative to the home folder of the desktop.',
    run: (context, what) => desktopOf(context).open(what),
  }),
  declare({
    name: 'activate_window',
    ...SETUP,
    args: z.tuple([z.string().min(1)]),
    parameters: ['title'],
    doc: 'Waits for a window with the text in its title or the name of its program, and activates it.',
    run: (context, title) => desktopOf(context).activate(title),
  }),
  declare({
    name: 'upload_file',
    aliases: ['download'],
    ...SETUP,
    args: z.tuple([path, path.optional()]),
    parameters: ['file', 'path?'],
    doc: 'Copies a file next to the task to the home folder of the desktop, to a path or under the same name.',
    async run(context, file, to) {
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(file)) {
        throw new Error(
          `${file} is a URL, and URLs are not downloaded: put the file next to the task and use its name`,
        );
      }
      await desktopOf(context).copyIn(file, to ?? file);
    },
  }),
  declare({
    name: 'sleep',
    ...SETUP,
    args: z.tuple([z.number().min(0).max(3_600)]),
    parameters: ['seconds'],
    workMs: commandMs(0),
    doc: 'Waits for the number of seconds.',
    run: (_, time) => pause<void>(time * 1_000),
  }),
];

/** Evaluate functions of a desktop's windows and clipboard. */
export const desktopChecks = [
  declare({
    name: 'window_exists',
    phase: 'evaluate',
    needs: ['windows'],
    reads: ['windows'],
    args: z.tuple([z.string().min(1)]),
    parameters: ['title'],
    doc: 'Checks whether a window with the text in its title or the name of its program is open. Case-insensitive.',
    async run(context, text): Promise<Verdict> {
      const windows = await desktopOf(context).windows();
      const match = windows.find((one) => `${one.title}\n${one.app}`.toLowerCase().includes(text.toLowerCase()));
      if (match !== undefined) return { value: 1, reason: `the window ${quote(match.title)} (${match.app}) is open` };
      const there = windows.map(({ title, app }) => `${quote(title)} (${app})`).join(', ');
      const rest = there === '' ? 'no windows are open' : `open windows: ${there}`;
      const hint = firstHint(
        windows,
        ({ title, app }) => differenceIn([text], title, true) || differenceIn([text], app, true),
      );
      return { value: 0, reason: hintFirst(hint, `no window has ${quote(text)} in its title; ${rest}`) };
    },
  }),
  declare({
    name: 'clipboard_is',
    phase: 'evaluate',
    needs: ['windows'],
    reads: ['clipboard'],
    args: z.tuple([z.string()]),
    parameters: ['text'],
    doc: 'Checks whether the clipboard contains exactly the text, ignoring white space around it.',
    async run(context, expectedText): Promise<Verdict> {
      const text = await desktopOf(context).clipboard();
      if (text === null) return { value: 0, reason: 'the clipboard contains no text' };
      const content = `the clipboard contains ${excerpt(text)}`;
      if (text.trim() === expectedText.trim()) return { value: 1, reason: content };
      return { value: 0, reason: hintFirst(differenceOf(expectedText.trim(), text.trim()), content) };
    },
  }),
];

function desktopOf({ desktop }: FunctionContext): Desktop {
  if (desktop) return desktop;
  throw new Error('this environment has no desktop; use the environment type hud-ubuntu');
}
