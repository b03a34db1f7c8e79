import { Output, type Sink } from '../../../src/cli/output.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import type { Placement } from '../../../src/placement/placement.ts';
import { FakePlacement } from '../runs/fake-placement.ts';

/** What one command line came to. */
export interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

class Text implements Sink {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 80;
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): void {
    this.text += text;
  }
}

/** Carries out a command line as `taskwright` would, with an environment of the test's. */
export async function taskwright(
  args: readonly string[],
  of: {
    cwd: string;
    placement?: Placement;
    signal?: AbortSignal;
    terminal?: boolean;
    environment?: Record<string, string>;
  },
): Promise<Said> {
  const out = new Text(of.terminal === true);
  const err = new Text(of.terminal === true);
  const exit = await runCommandLine(args, {
    cwd: of.cwd,
    output: new Output(out, err, of.environment ?? {}),
    signal: of.signal ?? new AbortController().signal,
    makePlacement: () => of.placement ?? new FakePlacement(),
  });
  return { exit, out: out.text, err: err.text };
}
