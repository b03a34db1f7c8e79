import { add, type Count, describeFailures, describeSlowestFiles, NOTHING } from './count.ts';
import { describeProcessorTime, type RunTime, totalOf } from './processor-time.ts';
import { isSuiteName } from './suite-options.ts';

/** The counts of the suites so far, in total and as rows of a table. */
export class TestReport {
  count = NOTHING;
  readonly #rows: Row[] = [];
  readonly #began = performance.now();

  /**
   * @param seconds of processor time; undefined if not measured
   * @param began when the suite started, by `performance.now()`
   */
  record(name: string, count: Count, began: number, seconds?: number): void {
    const suite = isSuiteName(name) ? { suite: name } : {};
    const failures = count.failures.map((failure) => ({ ...failure, ...suite }));
    this.count = add(this.count, { ...count, failures });
    const result = `${count.passed} passed, ${count.failures.length} failed`;
    this.#rows.push({ name, wall: (performance.now() - began) / 1000, seconds, result });
  }

  /** The failures, the slowest files, and a table of the suites. */
  describe(time: RunTime | null): string {
    const parts: string[] = [];
    if (this.count.failures.length > 0) parts.push(describeFailures(this.count));
    if (this.count.files.length > 0) parts.push(`Slowest files:\n${describeSlowestFiles(this.count)}`);
    parts.push(this.#table(time).join('\n'));
    if (time !== null) parts.push(describeProcessorTime(time));
    return `\n${parts.join('\n\n')}\n`;
  }

  #table(time: RunTime | null): readonly string[] {
    const rows = [...this.#rows];
    if (time !== null) {
      const inSuites = rows.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
      rows.push({ name: 'other', seconds: time.tree - inSuites, result: 'installation and preparation' });
      rows.push({ name: 'Docker', seconds: time.docker, result: 'daemons that ran before, and containers' });
      rows.push({ name: 'orphans', seconds: time.inherited, result: 'processes that outlived their parents' });
    }
    const all = time === null ? undefined : totalOf(time);
    rows.push({ name: 'all', wall: (performance.now() - this.#began) / 1000, seconds: all, result: '' });
    const cell = (value: number | undefined, digits: number): string => (value?.toFixed(digits) ?? '').padStart(9);
    return [
      `${'suite'.padEnd(10)}${'wall s'.padStart(9)}${'CPU s'.padStart(9)}${'units'.padStart(9)}`,
      ...rows.map(({ name, wall, seconds, result }) => {
        const units = seconds === undefined || time === null ? undefined : seconds / time.unit;
        return `${name.padEnd(10)}${cell(wall, 1)}${cell(seconds, 1)}${cell(units, 2)}  ${result}`.trimEnd();
      }),
    ];
  }
}

interface Row {
  readonly name: string;
  readonly wall?: number;
  readonly seconds?: number | undefined;
  readonly result: string;
}
