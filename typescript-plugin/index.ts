import { join } from 'node:path';

/**
 * A plugin of the TypeScript server: answers `import ... from 'taskwright'` with Taskwright's own types where nothing of
 * that name is installed, so that a person's functions have types in any folder.
 *
 * The parts of the server's interface that are used are written down here: the newest `typescript` package has none.
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

/** Beside this plugin in an installed extension: `node_modules/taskwright-typescript-plugin` and `dist`. */
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

/** What the TypeScript server calls; it wants a function as the module itself. */
module.exports = function init(): { create: typeof create } {
  return { create };
};
