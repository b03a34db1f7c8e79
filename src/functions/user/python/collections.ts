/**
 * A line of Python for the beginning of a program that imports large packages. By default, Python searches for garbage
 * hundreds of times meanwhile, which takes a fifth of the processor time of `import hud`.
 */
export const RARE_COLLECTIONS = 'import gc; gc.set_threshold(50_000)';
