// Loaded when a file is first parsed. Imported by name, because a split bundle exposes no names of a CommonJS `import()`.
export { Language, Parser } from 'web-tree-sitter';
