import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { ended } from './command-checks.ts';
import type { Desktop, FunctionContext, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { excerpt, quote } from './words.ts';
import { command, commandSeconds, path, seconds, timeoutOf, workspaceOf } from './workspace.ts';

/** A program and its arguments, or a command line as a person would type it. */
const program = z.union([command, z.array(z.string()).min(1)], {
  error: 'expected a command line, or a list of a program and its arguments',
});

/** What brings a desktop to the state in which a task begins. */
export const desktopSetup = [
  declare({
    name: 'launch',
    phase: 'setup',
    needs: ['windows'],
    args: z.tuple([program]),
    parameters: ['command'],
    doc: 'Starts a program on the desktop and waits for its window: a list of a program and its arguments, or a command line.',
    async run(context, wanted) {
      await desktopOf(context).launch(wanted);
    },
  }),
  declare({
    name: 'execute',
    phase: 'setup',
    needs: ['windows'],
    args: z.tuple([program, seconds]),
    parameters: ['command', 'timeout_s?'],
    commandSeconds: commandSeconds(1),
    doc: 'Runs a command in the home of the desktop and waits for its end; anything but exit code 0 is an error.',
    async run(context, wanted, limit) {
      const options = { timeout: timeoutOf(limit) };
      const result = await (typeof wanted === 'string'
        ? workspaceOf(context).run(wanted, options)
        : desktopOf(context).run(wanted, options));
      if (result.exitCode === 0) return;
      throw new Error(`the command ${ended(result)}: ${excerpt(result.output.slice(-400), 300)}`);
    },
  }),
  declare({
    name: 'open',
    phase: 'setup',
    needs: ['windows'],
    args: z.tuple([z.string().min(1)]),
    parameters: ['path'],
    doc: 'Opens an address or a page in the browser, a folder in the file manager, any other file in the text editor; paths are relative to the home of the desktop.',
    async run(context, what) {
      await desktopOf(context).open(what);
    },
  }),
  declare({
    name: 'activate_window',
    phase: 'setup',
    needs: ['windows'],
    args: z.tuple([z.string().min(1)]),
    parameters: ['title'],
    doc: 'Brings the window to the front that has the text in its title or is of that program; waits for it for a while.',
    async run(context, title) {
      await desktopOf(context).activate(title);
    },
  }),
  declare({
    name: 'upload_file',
    aliases: ['download'],
    phase: 'setup',
    needs: ['windows'],
    args: z.tuple([path, path.optional()]),
    parameters: ['file', 'path?'],
    doc: 'Copies a file from beside the task into the home of the desktop, to a path or under its own name.',
    async run(context, file, to) {
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(file)) {
        throw new Error(`${file} is not fetched: put the file beside the task and name it here`);
      }
      await desktopOf(context).copyIn(file, to ?? file);
    },
  }),
  declare({
    name: 'sleep',
    phase: 'setup',
    needs: ['windows'],
    args: z.tuple([z.number().min(0).max(3_600)]),
    parameters: ['seconds'],
    commandSeconds: commandSeconds(0),
    doc: 'Waits so many seconds.',
    async run(_, time) {
      await pause(time * 1_000);
    },
  }),
];

/** Checks of a desktop's windows and its clipboard. */
export const desktopChecks = [
  declare({
    name: 'window_exists',
    phase: 'evaluate',
    needs: ['windows'],
    args: z.tuple([z.string().min(1)]),
    parameters: ['title'],
    doc: 'Whether a window is open that has the text in its title or is of that program, whatever its case.',
    async run(context, wanted): Promise<Verdict> {
      const windows = await desktopOf(context).windows();
      const found = windows.find((one) => `${one.title}\n${one.app}`.toLowerCase().includes(wanted.toLowerCase()));
      if (found !== undefined) return { value: 1, reason: `the window ${quote(found.title)} (${found.app}) is open` };
      const there = windows.map(({ title, app }) => `${quote(title)} (${app})`).join(', ');
      const rest = there === '' ? 'none is open' : `open are ${there}`;
      return { value: 0, reason: `no window has ${quote(wanted)} in its title; ${rest}` };
    },
  }),
  declare({
    name: 'clipboard_is',
    phase: 'evaluate',
    needs: ['windows'],
    args: z.tuple([z.string()]),
    parameters: ['text'],
    doc: 'Whether the clipboard holds just this text; white space around it does not count.',
    async run(context, wanted): Promise<Verdict> {
      const held = await desktopOf(context).clipboard();
      if (held === null) return { value: 0, reason: 'the clipboard holds no text' };
      const same = held.trim() === wanted.trim();
      return { value: same ? 1 : 0, reason: `the clipboard holds ${excerpt(held)}` };
    },
  }),
];

function desktopOf({ desktop: found }: FunctionContext): Desktop {
  if (found) return found;
  throw new Error('this environment has no desktop; use an environment of type hud-ubuntu');
}
