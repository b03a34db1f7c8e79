/** One line of the report. Compare ratios: absolute times vary with the machine. */
export interface Figure {
  readonly name: string;
  /** A peer that is measured in the same run, or a limit. */
  readonly against: string;
  readonly ours: number;
  readonly theirs: number;
  readonly unit: string;
  /** `ours / theirs`; the aim bounds it from above or below. */
  readonly ratio: number;
  readonly aim: { readonly atMost: number } | { readonly atLeast: number };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('An empty list has no median.');
  const ascending = [...values].sort((a, b) => a - b);
  const middle = Math.floor(ascending.length / 2);
  const upper = ascending[middle] as number;
  return ascending.length % 2 === 1 ? upper : ((ascending[middle - 1] as number) + upper) / 2;
}

/** The numbers of a figure from pairs measured in turns, so that other load on the machine affects both. */
export function comparePairs(
  pairs: readonly { readonly ours: number; readonly theirs: number }[],
): Pick<Figure, 'ours' | 'theirs' | 'ratio'> {
  return {
    ours: median(pairs.map(({ ours }) => ours)),
    theirs: median(pairs.map(({ theirs }) => theirs)),
    ratio: median(pairs.map(({ ours, theirs }) => ours / theirs)),
  };
}

export function holds(figure: Figure): boolean {
  return 'atMost' in figure.aim ? figure.ratio <= figure.aim.atMost : figure.ratio >= figure.aim.atLeast;
}

export function printFigure(figure: Figure): string {
  const aim = 'atMost' in figure.aim ? `aim ≤ ${figure.aim.atMost}` : `aim ≥ ${figure.aim.atLeast}`;
  return [
    holds(figure) ? '✓' : '✗',
    figure.name.padEnd(34),
    `${figure.ratio.toFixed(2)}x`.padStart(7),
    `(${aim})`.padEnd(12),
    `${figure.ours.toFixed(1)} ${figure.unit} against ${figure.theirs.toFixed(1)} ${figure.unit}: ${figure.against}`,
  ].join('  ');
}
