import { join } from 'node:path';

/**
 * A TypeScript server plugin that resolves `import ... from 'taskwright'` to Taskwright's own type declarations if no
 * such package is installed, so that user-defined functions have types in any folder.
 *
 * The parts of the plugin interface that it uses are declared here, because the newest `typescript` package has no
 * types for them.
 */

interface Resolution {
  readonly resolvedModule?: unknown;
}

type ResolveLiterals = (
  literals: readonly { readonly text: string }[],
  containingFile: string,
  ...rest: readonly unknown[]
) => readonly Resolution[];

interface LanguageServiceHost {
  resolveModuleNameLiterals?: ResolveLiterals;
}

interface PluginCreateInfo {
  readonly languageService: object;
  readonly languageServiceHost: LanguageServiceHost;
}

/** In an installed extension the plugin is in `node_modules/taskwright-typescript-plugin`, next to `dist`. */
const TYPES = join(__dirname, '..', '..', 'dist', 'taskwright.d.ts').replaceAll('\\', '/');

function create({ languageService, languageServiceHost: host }: PluginCreateInfo): object {
  const resolve = host.resolveModuleNameLiterals?.bind(host);
  if (resolve) {
    host.resolveModuleNameLiterals = (literals, ...rest) =>
      resolve(literals, ...rest).map((found, index) =>
        found.resolvedModule === undefined && literals[index]?.text === 'taskwright'
          ? {
              ...found,
              resolvedModule: { resolvedFileName: TYPES, extension: '.d.ts', isExternalLibraryImport: true },
            }
          : found,
      );
  }
  return languageService;
}

/** The TypeScript server expects the module itself to be this function. */
module.exports = function init(): { create: typeof create } {
  return { create };
};
