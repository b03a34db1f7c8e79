// Loaded when the first Python file is read. Imported by name, because a split bundle exposes no names of a CommonJS
// `import()`.
export { Language, Parser } from 'web-tree-sitter';
