/** Chooses between the messages for one and for several: `plural(n, l10n.t('1 run'), l10n.t('{0} runs', n))`. */
export function plural(n: number, singular: string, many: string): string {
  return n === 1 ? singular : many;
}
