/** Playwright's packages. */
declare module 'playwright-core/lib/utilsBundle' {
  /** The type of a file by its name, as Playwright gives it to uploads; null if it is unknown. */
  export const mime: { getType(name: string): string | null };
}
