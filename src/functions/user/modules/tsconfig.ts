import { existsSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import * as z from 'zod';

/** Network shares are not accessed while the user types. */
const localPath = z.string().regex(/^(?![\\/]{2})/);
const schema = z.looseObject({
  extends: z.union([localPath, z.array(localPath)]).optional(),
  compilerOptions: z
    .looseObject({
      baseUrl: localPath.optional(),
      paths: z.record(z.string(), z.array(localPath)).optional(),
      useDefineForClassFields: z.boolean().optional(),
    })
    .optional(),
});

/** What is used of a tsconfig.json, with what it extends. */
interface Options {
  /** Absolute path. */
  readonly baseUrl?: string;
  readonly paths?: { readonly folder: string; readonly patterns: Readonly<Record<string, readonly string[]>> };
  readonly useDefineForClassFields?: boolean;
}

/** The paths that an import can mean by `paths` and `baseUrl` of the nearest tsconfig.json, the best first. */
export function matchPaths(specifier: string, from: string): readonly string[] {
  const { paths, baseUrl } = optionsFor(from);
  const folder = baseUrl ?? paths?.folder;
  if (folder === undefined) return [];
  const patterns = Object.entries({ ...(baseUrl === undefined ? {} : { '*': ['*'] }), ...paths?.patterns });
  return patterns
    .flatMap(([pattern, targets]) => {
      const [prefix = '', suffix] = pattern.split('*');
      const isMatch =
        suffix === undefined
          ? specifier === pattern
          : specifier.length >= prefix.length + suffix.length &&
            specifier.startsWith(prefix) &&
            specifier.endsWith(suffix);
      const inside = specifier.slice(prefix.length, specifier.length - (suffix?.length ?? 0));
      return isMatch
        ? [
            {
              prefix,
              paths: targets.map((one) =>
                resolve(
                  folder,
                  one.replace('*', () => inside),
                ),
              ),
            },
          ]
        : [];
    })
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
    .flatMap(({ paths }) => paths);
}

/** `useDefineForClassFields` of the nearest tsconfig.json; undefined if it does not say. */
export function definesClassFields(file: string): boolean | undefined {
  return optionsFor(file).useDefineForClassFields;
}

function optionsFor(file: string): Options {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const config = ['tsconfig.json', 'jsconfig.json']
      .map((name) => join(folder, name))
      .find((path) => existsSync(path));
    if (config !== undefined) return readOptions(config, new Set());
    if (folder === dirname(folder)) return {};
  }
}

/** An unreadable file has no options: the compiler of the editor reports it. */
function readOptions(config: string, visited: Set<string>): Options {
  if (visited.has(config) || !existsSync(config)) return {};
  visited.add(config);
  const file = schema.safeParse(parseWithComments(readFileSync(config, 'utf8').replace(/^\uFEFF/, '')));
  if (!file.success) return {};
  const folder = dirname(config);
  const bases = [file.data.extends ?? []].flat().map((name) => readOptions(extendedConfig(name, folder), visited));
  const { baseUrl, paths, useDefineForClassFields } = file.data.compilerOptions ?? {};
  return Object.assign({}, ...bases, {
    ...(baseUrl === undefined ? {} : { baseUrl: resolve(folder, baseUrl) }),
    ...(paths === undefined ? {} : { paths: { folder, patterns: paths } }),
    ...(useDefineForClassFields === undefined ? {} : { useDefineForClassFields }),
  });
}

function extendedConfig(name: string, folder: string): string {
  const path = name.endsWith('.json') ? name : `${name}.json`;
  if (name.startsWith('.') || isAbsolute(name)) return resolve(folder, path);
  for (let above = folder; ; above = dirname(above)) {
    const inPackage = [path, join(name, 'tsconfig.json')].map((one) => join(above, 'node_modules', one));
    const config = inPackage.find((one) => existsSync(one));
    if (config !== undefined || above === dirname(above)) return config ?? '';
  }
}

const COMMENT = /("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g;
const TRAILING_COMMA = /("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g;

/** Undefined if the text is invalid. */
function parseWithComments(text: string): unknown {
  try {
    return JSON.parse(text.replace(COMMENT, '$1').replace(TRAILING_COMMA, '$1'));
  } catch {
    return undefined;
  }
}
