/** The compiler is large and in a separate file, which is loaded with the first file that needs it. */
export function compiler(): typeof import('./compile.ts') {
  return require('./compile.ts');
}
