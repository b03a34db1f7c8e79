const SHORTAGES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'EIO'];

/** The machine lacks something at the moment: this says nothing about the file or folder that was asked for. */
export function isResourceExhausted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && SHORTAGES.includes(error.code);
}
