import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  BUDGET,
  describeProcessorTime,
  type ProcessLine,
  parseProcessLine,
  readProcesses,
  spentBy,
  spentHere,
} from '../../../scripts/processor-time.ts';
import { TestReport } from '../../../scripts/test-report.ts';
import { needsLinux } from '../../systems.ts';

function line(pid: number, parent: number, own: number, children = 0, name = 'node'): ProcessLine {
  return { pid, parent, name, own, children };
}

describe('The processor time of a run', () => {
  it('is that of the process, its descendants, and their ended children', () => {
    const processes = [
      line(1, 0, 5, 7),
      line(10, 1, 1, 2),
      line(11, 10, 3, 4),
      line(12, 11, 0.5),
      line(99, 1, 1000, 1000),
    ];
    expect(spentBy(10, processes)).toEqual({ tree: 10.5, docker: 0, inherited: 7 });
  });

  it('includes the daemons of Docker and their containers, once', () => {
    const daemons = [
      line(20, 1, 2, 0, 'dockerd'),
      line(21, 20, 1, 0, 'containerd'),
      line(22, 1, 1, 1, 'containerd-shim'),
    ];
    const container = line(23, 22, 6, 0, 'python');
    const own = [line(30, 10, 8, 0, 'dockerd'), line(31, 30, 1, 0, 'containerd')];
    const processes = [line(1, 0, 0), line(10, 1, 1), ...daemons, container, ...own];
    expect(spentBy(10, processes)).toEqual({ tree: 10, docker: 11, inherited: 0 });
  });

  it('is nothing where the process is unknown', () => {
    expect(spentBy(10, [])).toEqual({ tree: 0, docker: 0, inherited: 0 });
  });

  it('is read from lines whose program name has parentheses and spaces', () => {
    const text = '42 (a (b) c) S 7 42 42 0 -1 4194304 1 2 3 4 150 50 25 75 20 0 1 0 100';
    expect(parseProcessLine(text)).toEqual({ pid: 42, parent: 7, name: 'a (b) c', own: 2, children: 1 });
  });

  it.skipIf(needsLinux('the processor time of processes'))('grows with the work of ended children', () => {
    const before = spentHere();
    execFileSync(process.execPath, ['-e', 'const end = Date.now() + 300; while (Date.now() < end);']);
    expect(spentHere()).toBeGreaterThan(before);
    expect(readProcesses().some(({ pid }) => pid === process.pid)).toBe(true);
  });
});

describe('The report', () => {
  const time = { tree: 2000, docker: 100, inherited: 50, unit: 88 };

  it('compares the total with the budget', () => {
    expect(describeProcessorTime(time)).toBe('processor time: 2,150 s = 24.4 units (budget 27)');
  });

  it('says by how much a run is over the budget', () => {
    const over = { ...time, tree: 88 * (BUDGET + 3), docker: 0, inherited: 0 };
    expect(describeProcessorTime(over)).toBe(
      'processor time: 2,640 s = 30.0 units (budget 27), over the budget by 3.0 units',
    );
  });

  it('has a row for each suite and for what no suite took', () => {
    const report = new TestReport();
    report.record('unit', { passed: 3, failures: [], files: [] }, performance.now(), 88);
    const rows = report.describe(time).split('\n');
    const cells = (name: string): string[] => rows.find((row) => row.startsWith(name))?.split(/\s+/) ?? [];
    expect(cells('unit').slice(2)).toEqual(['88.0', '1.00', '3', 'passed,', '0', 'failed']);
    expect(cells('other').slice(1, 3)).toEqual(['1912.0', '21.73']);
    expect(cells('Docker').slice(1, 3)).toEqual(['100.0', '1.14']);
    expect(cells('all').slice(2)).toEqual(['2150.0', '24.43']);
  });

  it('has no processor time where it cannot be measured', () => {
    const report = new TestReport();
    report.record('unit', { passed: 3, failures: [], files: [] }, performance.now());
    expect(report.describe(null)).not.toContain('processor time');
  });
});
