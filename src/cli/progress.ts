import type { AgentAddress } from '../agents/agent-kind.ts';
import type { ImageBuild } from '../placement/docker/docker.ts';
import { progressByHost } from '../results/by-host.ts';
import type { RunListener } from '../runs/events.ts';
import type { Run, RunRecord } from '../traces/trace.ts';
import { bar, type Output } from './output.ts';
import { countText, hostLines, hostWords, type Paint, resultWords, verdictLines } from './report.ts';

/** Progress of a job: a bar on a terminal, and a line for each verdict. */
export class Progress {
  readonly #output: Output;
  readonly #print: (line: string) => void;
  readonly #paint: Paint;
  readonly #json: boolean;
  readonly #total: number;
  readonly #running = new Map<string, { readonly text: string; readonly host: string | null }>();
  /** The hosts of the runs that have ended. */
  readonly #hosts: { readonly host: string; readonly running: false }[] = [];
  #endCount = 0;

  /** With `json`, verdicts are notes, because standard output contains only the JSON value. */
  constructor(output: Output, json: boolean, total: number) {
    this.#output = output;
    this.#json = json;
    this.#total = total;
    this.#print = (line) => (json ? output.note(line) : output.print(line));
    this.#paint = json ? output.paintNote : output.paint;
  }

  /** Follows a run. */
  follow({ task_id: taskId, run_id: runId }: { readonly task_id: string; readonly run_id: string }): RunListener {
    let phase = '';
    let steps = 0;
    let host: string | null = null;
    const draw = (): void => {
      this.#running.set(runId, {
        host,
        text: `${taskId} ${phase}${steps === 0 ? '' : ` ${countText(steps, 'step')}`}`,
      });
      this.#draw();
    };
    return (event) => {
      if (event.type === 'phase') phase = event.detail ?? event.phase;
      else if (event.type === 'step' && event.step.source === 'agent') steps += 1;
      else if (event.type === 'host') ({ host } = event);
      else if (event.type === 'retry') {
        steps = 0;
        host = null;
        this.#output.note(
          this.#output.paintNote('yellow', `[${taskId}] retrying: ${event.error.message.split('\n')[0]}`),
        );
      } else if (event.type === 'log') this.#output.note(this.#output.paintNote('dim', `[${taskId}] ${event.text}`));
      else if (event.type === 'waiting') {
        if (event.address !== null) this.#offer(taskId, runId, event.address);
      } else if (event.type === 'ended') {
        this.#running.delete(runId);
        return;
      } else return;
      draw();
    };
  }

  /** Where an agent can connect: a line of JSON for programs, words for users. */
  #offer(taskId: string, runId: string, { url, token }: AgentAddress): void {
    if (this.#json) {
      this.#output.note(JSON.stringify({ mcp: { url, token }, run_id: runId }));
      return;
    }
    this.#output.note(`[${taskId}] Waiting for an agent. Connect it to the MCP server ${url} with the header`);
    this.#output.note(`[${taskId}] Authorization: Bearer ${token}`);
  }

  /** Counts a run that has ended, and prints its verdict. */
  add(run: Run | RunRecord): void {
    this.#endCount += 1;
    if (run.host !== undefined) this.#hosts.push({ host: run.host, running: false });
    for (const line of verdictLines(run, this.#paint)) this.#print(line);
    this.#draw();
  }

  /** Counts a run that an earlier process of the job finished. */
  finishedEarlier(): void {
    this.#endCount += 1;
  }

  /** `more`: how to resume the job if runs are left. */
  end(runs: readonly (Run | RunRecord)[], folder: string | null, more: string | null = null): void {
    this.#output.progress('');
    const parts = resultWords(runs, this.#output.paintNote);
    if (folder !== null) parts.push(folder);
    this.#output.note(parts.join(' · '));
    for (const line of hostLines(runs)) this.#output.note(line);
    if (more !== null) this.#output.note(more);
  }

  #draw(): void {
    if (!this.#output.drawsProgress) return;
    const running = [...this.#running.values()];
    const hosts = progressByHost([...this.#hosts, ...running.map(({ host }) => ({ host, running: true }))]);
    const detail = hosts.length > 0 ? hostWords(hosts) : running.map(({ text }) => text).join(', ');
    this.#output.progress(`${bar(this.#endCount, this.#total)} ${this.#endCount}/${this.#total}  ${detail}`);
  }
}

/**
 * Prints the progress of an image build. On a terminal, the progress line of the waiting run shows it; elsewhere, each step
 * is a line. `verbose` prints the whole output.
 */
export function printBuild(build: ImageBuild, output: Output, verbose: boolean): void {
  const dim = (text: string): void => output.note(output.paintNote('dim', text));
  if (!output.drawsProgress) output.note(`Building the image ${build.tag}. Later runs reuse it.`);
  let last = 0;
  const stop = build.onLine((line, { step, steps, label }) => {
    if (verbose) dim(line);
    else if (step > last && !output.drawsProgress)
      dim(`  step ${step} of ${steps}${label === null ? '' : `: ${label}`}`);
    last = step;
  });
  void build.whenEnded.then(({ built }) => {
    stop();
    if (built) output.note(`Built the image ${build.tag}.`);
  });
}
