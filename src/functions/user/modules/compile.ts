import { babelTransform } from 'playwright/lib/transform/babelBundle';

/** A source file as JavaScript. Each statement is on the line that it has in the source. */
export interface CompiledModule {
  readonly code: string;
  readonly format: 'module' | 'commonjs';
  /** What it imports when it is loaded, without types and imports that are only used as types. */
  readonly imports: readonly ModuleImport[];
}

/** A static import, or a `require` that is called when the module is loaded. */
export interface ModuleImport {
  readonly specifier: string;
  /** Whether it is an `import` or `export … from`, which cannot be caught. */
  readonly position: Position;
}

/** One-based, as in stack traces. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A file that cannot be parsed. `stack` begins with the location, as that of Node's own syntax errors does. */
export class ModuleSyntaxError extends SyntaxError {
  readonly file: string;
  readonly position: Position;
  constructor(message: string, file: string, position: Position) {
    super(message);
    this.file = file;
    this.position = position;
    this.stack = `${file}:${position.line}:${position.column}\nSyntaxError: ${message}`;
  }
}

/**
 * Compiles TypeScript as Playwright does in tests. A file that uses a name of CommonJS, such as `require` or `__dirname`, is a
 * CommonJS module, any other is an ES module.
 *
 * @param useDefineForClassFields the compiler option of tsconfig.json
 * @throws ModuleSyntaxError
 */
export function compileModule(text: string, file: string, useDefineForClassFields = true): CompiledModule {
  const format = file.endsWith('.cts') ? 'commonjs' : 'module';
  try {
    return transform(text, file, format, useDefineForClassFields);
  } catch (error) {
    if (error !== COMMONJS) throw error;
    return transform(text, file, 'commonjs', useDefineForClassFields);
  }
}

/** Stops the compilation of an ES module that turns out to be a CommonJS module. */
const COMMONJS = new Error('This is a CommonJS module.');
const COMMONJS_NAMES = ['require', 'module', 'exports', '__filename', '__dirname'];

function transform(
  text: string,
  file: string,
  format: CompiledModule['format'],
  useDefineForClassFields: boolean,
): CompiledModule {
  const imports: ModuleImport[] = [];
  const sources = new Map<string, BabelNode>();
  const plugin = () => ({
    name: 'taskwright',
    manipulateOptions(options: { generatorOpts: object }) {
      options.generatorOpts = { ...options.generatorOpts, retainLines: true };
    },
    pre({ path, scope }: BabelFile) {
      const isCommonJs =
        COMMONJS_NAMES.some((name) => scope.hasGlobal(name)) ||
        path.node.body.some(({ type }) => type === 'TSExportAssignment' || type === 'TSImportEqualsDeclaration');
      if (format === 'module' && isCommonJs && !file.endsWith('.mts')) throw COMMONJS;
      for (const { loc, source, moduleReference } of path.node.body) {
        const specifier = source ?? moduleReference?.expression;
        if (specifier && loc) sources.set(keyOf(loc.start), specifier);
      }
    },
    post({ path }: BabelFile) {
      imports.push(...path.node.body.flatMap((statement) => importsOf(statement, sources)));
    },
  });
  try {
    // Playwright takes names of packages with plugins, and reads them with `map`.
    const plugins = { map: () => [[plugin]] };
    const result = babelTransform(text, file, format === 'module', plugins, useDefineForClassFields);
    if (result === null) throw new Error(`${file} cannot be compiled while another file is`);
    const code = result.code.replace(SOURCE_MAP, '');
    return { code: format === 'module' ? code : code.replace(DIRECTIVE, `$&${HOOKED_REQUIRE}`), format, imports };
  } catch (error) {
    throw asSyntaxError(error, file);
  }
}

/** Lines are the same as in the source, so that debuggers need no map. */
const SOURCE_MAP = /\n\/\/# sourceMappingURL=data:\S*\s*$/;

const DIRECTIVE = /^(?:"use strict";)?/;
/** In Node 22, the `require` of a CommonJS module that was imported ignores hooks. */
const HOOKED_REQUIRE = "require = process.getBuiltinModule('node:module').createRequire(__filename);";

function asSyntaxError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('loc' in error)) return error;
  const { line, column } = error.loc as Position;
  // `/tasks/shop.functions.ts: Unexpected token (3:4)`
  const message = error.message.replace(`${file}: `, '').replace(/ \(\d+:\d+\)$/, '');
  return new ModuleSyntaxError(message, file, { line, column });
}

/** The parts of Babel's types that are used. */
interface BabelFile {
  readonly path: { readonly node: { readonly body: readonly BabelNode[] } };
  readonly scope: { hasGlobal(name: string): boolean };
}
interface BabelNode {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly loc?: { readonly start: Position } | null;
  readonly source?: BabelNode | null;
  readonly moduleReference?: { readonly expression?: BabelNode };
  readonly expression?: BabelNode;
  readonly declarations?: readonly { readonly init?: BabelNode | null }[];
  readonly callee?: BabelNode;
  readonly arguments?: readonly BabelNode[];
}

function keyOf({ line, column }: Position): string {
  return `${line}:${column}`;
}

/**
 * The imports of a statement at the top level of a compiled module. `sources`: the specifiers in the source by the start of
 * their statement, because those of a CommonJS module are created by Babel.
 */
function importsOf(statement: BabelNode, sources: ReadonlyMap<string, BabelNode>): ModuleImport[] {
  const required = [statement.expression, ...(statement.declarations ?? []).map(({ init }) => init)].map(requiredBy);
  return [statement.source, ...required].flatMap((source) => {
    if (typeof source?.value !== 'string') return [];
    const outer = statement.loc?.start;
    const start = (source.loc ?? (outer && sources.get(keyOf(outer))?.loc))?.start ?? outer;
    return start === undefined
      ? []
      : [{ specifier: source.value, position: { line: start.line, column: start.column + 1 } }];
  });
}

/** The argument of `require('…')`, also inside of the calls with which Babel reads a default export. */
function requiredBy(expression: BabelNode | null | undefined): BabelNode | undefined {
  if (expression?.type !== 'CallExpression') return undefined;
  const [argument] = expression.arguments ?? [];
  return expression.callee?.name === 'require' ? argument : requiredBy(argument);
}
