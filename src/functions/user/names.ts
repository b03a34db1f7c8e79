import type { Node } from 'web-tree-sitter';
import { Lines } from '../../base/lines.ts';
import { loadPython } from '../../tasks/formats/python/grammar.ts';
import { isFunctionsFileName, isPython } from './files.ts';
import { resolveImport } from './modules/resolve.ts';
import { readFunction, readValue, UNKNOWN } from './parameters.ts';
import { pythonSignatures } from './python/signatures.ts';
import type { UserSignature } from './signature.ts';
import { childrenOf, docOf, loadTypeScript, readTypeScript, stringValue, unwrap } from './typescript.ts';

export type { UserParameter } from './parameters.ts';
export type { UserSignature } from './signature.ts';

/**
 * The functions that a `*.functions.ts|js|mjs|py` file exports. Nothing is executed.
 *
 * @param read returns the text of a file that is re-exported with `export *`, or null if it cannot be read
 */
export async function readSignatures(
  text: string,
  file: string,
  read: ReadText = async () => null,
): Promise<readonly UserSignature[]> {
  if (!isFunctionsFileName(file)) return [];
  if (isPython(file)) {
    await loadPython();
    return pythonSignatures(text, file);
  }
  await loadTypeScript();
  return [...(await readModule(text, file, read, new Set([file]))).values()];
}

type ReadText = (file: string) => Promise<string | null>;

/** The functions that a module exports, by name. A name of its own hides those of `export *`. */
async function readModule(
  text: string,
  file: string,
  read: ReadText,
  visited: Set<string>,
): Promise<ReadonlyMap<string, UserSignature>> {
  const { own, sources } = readTypeScript(text, (program) => ({
    own: signaturesOf(program, new Lines(text), file),
    sources: wholeSources(program),
  }));
  const all = new Map(own.map((one) => [one.name, one]));
  for (const source of sources) {
    const path = resolveImport(source, file);
    if (path === undefined || visited.has(path)) continue;
    visited.add(path);
    const inner = (await read(path)) ?? '';
    for (const [name, one] of await readModule(inner, path, read, visited)) if (!all.has(name)) all.set(name, one);
  }
  return all;
}

/** The sources of `export * from`. */
function wholeSources(program: Node): readonly string[] {
  return childrenOf(program).flatMap((statement) => {
    if (statement.type !== 'export_statement' || !has(statement, '*')) return [];
    return stringValue(statement.childForFieldName('source')) ?? [];
  });
}

/** Adds the functions of a file to those of the other files in the folder, by name. */
export function addSignatures(names: Map<string, UserSignature>, signatures: Iterable<UserSignature>): void {
  for (const one of signatures) {
    const other = names.get(one.name);
    names.set(one.name, other === undefined ? one : { ...one, other: other.file });
  }
}

/** A name that a file exports. */
interface Exported {
  readonly name: Node;
  /** The declaration of a function or a variable; null if it is not in this file. */
  readonly declaration: Node | null;
}

/**
 * The functions that a program exports, without types, classes, `export *`, a default export that is not an object of functions,
 * and constants that are certainly not functions.
 */
function signaturesOf(program: Node, lines: Lines, file: string): readonly UserSignature[] {
  const declarations = declarationsOf(program);
  const signatures = new Map<string, UserSignature>();
  for (const { name, declaration } of exportsOf(program, declarations)) {
    const { text } = name;
    const overload = signatures.get(text);
    // Overloads: the first one has the comment, and the parameters are unknown.
    if (overload !== undefined) signatures.set(text, { ...overload, parameters: null });
    else {
      const range = lines.range(name.startIndex, name.endIndex);
      signatures.set(text, { name: text, file, range, ...describe(declaration) });
    }
  }
  return [...signatures.values()];
}

function describe(declaration: Node | null): Pick<UserSignature, 'phase' | 'doc' | 'parameters'> {
  if (declaration === null) return UNKNOWN;
  if (declaration.type !== 'variable_declarator') return { ...readFunction(declaration), doc: docOf(declaration) };
  const value = readValue(unwrap(declaration.childForFieldName('value')));
  const statement = declaration.parent;
  const isFirst = statement !== null && childrenOf(statement)[0]?.equals(declaration) === true;
  return { ...value, doc: value.doc ?? docOf(isFirst ? statement : declaration) };
}

/** Includes exports inside of blocks: `export` is invalid there, so an opening brace is not closed yet. */
function exportsOf(program: Node, declarations: ReadonlyMap<string, Node>): Exported[] {
  // Queried separately, because in a combined query, errors hide the statements in them.
  const statements = [program.descendantsOfType('export_statement'), program.descendantsOfType('ERROR')].flat();
  const inEsm = statements
    .toSorted((a, b) => a.startIndex - b.startIndex)
    .flatMap((statement) => {
      if (isInNamespace(statement)) return [];
      if (statement.type === 'ERROR') return brokenExports(statement);
      if (has(statement, '=') || has(statement, 'default')) {
        return membersOf(childrenOf(statement).at(-1) ?? null, declarations);
      }
      const declaration = statement.childForFieldName('declaration');
      if (declaration !== null)
        return declarationsIn(declaration).map((one) => ({ name: nameOf(one) ?? one, declaration: one }));
      const clause = childrenOf(statement).find(({ type }) => type === 'export_clause');
      if (clause === undefined || has(statement, 'type')) return [];
      return listExports(clause, statement.childForFieldName('source') === null ? declarations : new Map());
    });
  return [...inEsm, ...childrenOf(program).flatMap((statement) => commonJsExports(statement, declarations))];
}

/** `exports.name = value`, `module.exports.name = value`, and `module.exports = { name }`. */
function commonJsExports(statement: Node, declarations: ReadonlyMap<string, Node>): Exported[] {
  const [assignment] = statement.type === 'expression_statement' ? childrenOf(statement) : [];
  const left = assignment?.type === 'assignment_expression' ? assignment.childForFieldName('left') : null;
  const value = assignment?.childForFieldName('right') ?? null;
  if (left?.text === 'module.exports') return membersOf(value, declarations);
  const name = left?.childForFieldName('property') ?? null;
  const object = left?.childForFieldName('object')?.text;
  if (name === null || value === null || (object !== 'exports' && object !== 'module.exports')) return [];
  return NO_FUNCTION.has(value.type) ? [] : [{ name, declaration: declarations.get(value.text) ?? null }];
}

/** The members of an object that is exported as a whole: `{ a, b: value, c() {} }`. */
function membersOf(value: Node | null, declarations: ReadonlyMap<string, Node>): Exported[] {
  const object = unwrap(value);
  if (object?.type !== 'object') return [];
  return childrenOf(object).flatMap((member) => {
    if (member.type === 'shorthand_property_identifier') {
      return [{ name: member, declaration: declarations.get(member.text) ?? null }];
    }
    const name = member.childForFieldName('key') ?? nameOf(member);
    const inner = unwrap(member.childForFieldName('value'));
    if (name?.type !== 'property_identifier' || (inner !== null && NO_FUNCTION.has(inner.type))) return [];
    return [{ name, declaration: (inner && declarations.get(inner.text)) ?? null }];
  });
}

/** The functions and the variables with a value that may be a function, of one statement. */
function declarationsIn(statement: Node): readonly Node[] {
  if (FUNCTIONS.has(statement.type)) return [statement];
  if (statement.type !== 'lexical_declaration' && statement.type !== 'variable_declaration') return [];
  return childrenOf(statement).filter((one) => {
    const value = unwrap(one.childForFieldName('value'));
    return nameOf(one)?.type === 'identifier' && value !== null && !NO_FUNCTION.has(value.type);
  });
}

/** `a, b as c, type D` */
function listExports(clause: Node, declarations: ReadonlyMap<string, Node>): Exported[] {
  return childrenOf(clause).flatMap((specifier) => {
    const local = nameOf(specifier);
    const name = specifier.childForFieldName('alias') ?? local;
    if (local === null || name?.type !== 'identifier' || name.text === 'default' || has(specifier, 'type')) return [];
    return [{ name, declaration: declarations.get(local.text) ?? null }];
  });
}

/** `export const name` and `export function name` in incomplete code. */
function brokenExports(error: Node): Exported[] {
  const { children } = error;
  return children.flatMap((child, index) => {
    if (child.type !== 'export') return [];
    const name = children.slice(index + 1).find(({ type }) => !BEFORE_NAME.has(type));
    return name?.type === 'identifier' ? [{ name, declaration: null }] : [];
  });
}

/** The top-level declarations of a file, by name. */
function declarationsOf(program: Node): ReadonlyMap<string, Node> {
  const declarations = new Map<string, Node>();
  for (const statement of childrenOf(program)) {
    const inner = statement.type === 'export_statement' ? statement.childForFieldName('declaration') : statement;
    for (const one of inner === null ? [] : declarationsIn(inner)) {
      const name = nameOf(one)?.text;
      if (name !== undefined && !declarations.has(name)) declarations.set(name, one);
    }
  }
  return declarations;
}

function isInNamespace(node: Node): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.type === 'internal_module' || outer.type === 'module') return true;
  }
  return false;
}

function nameOf(node: Node): Node | null {
  return node.childForFieldName('name');
}

/** Whether a keyword is one of the node's own tokens. */
function has(node: Node, keyword: string): boolean {
  return node.children.some((child) => child.type === keyword);
}

const FUNCTIONS = new Set(['function_declaration', 'generator_function_declaration', 'function_signature']);
const BEFORE_NAME = new Set(['async', 'function', '*', 'const', 'let', 'var']);
const NO_FUNCTION = new Set([
  'string',
  'template_string',
  'number',
  'regex',
  'array',
  'object',
  'new_expression',
  'unary_expression',
  'true',
  'false',
  'null',
  'undefined',
  'class',
]);
