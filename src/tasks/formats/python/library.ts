// Loaded when a Python file is first read; by name, because a bundle in pieces gives an `import()` of CommonJS no names.
export { Language, Parser } from 'web-tree-sitter';
