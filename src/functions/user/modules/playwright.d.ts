/** Playwright's transformer of tests: Babel with its plugins for TypeScript, JSX, and decorators in one file. */
declare module 'playwright/lib/transform/babelBundle' {
  export function babelTransform(
    code: string,
    file: string,
    isModule: boolean,
    plugins: { map(read: unknown): readonly (readonly unknown[])[] },
    useDefineForClassFields: boolean,
  ): { readonly code: string } | null;
}
