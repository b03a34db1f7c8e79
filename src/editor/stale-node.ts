import type * as vscode from 'vscode';

/**
 * Whether a command was chosen at a node of a tree that was drawn anew meanwhile: VS Code knows no longer which one it
 * was, and hands over undefined. What a command does without a node, it would do to something else.
 *
 * @param given what the command is called with: nothing at all from the palette or a key
 */
export function isStaleNode(
  { packageJSON }: vscode.Extension<unknown>,
  command: string,
  given: readonly unknown[],
): boolean {
  if (given.length === 0 || (given[0] !== undefined && given[0] !== null)) return false;
  const { menus } = (packageJSON as Manifest).contributes;
  const stands = (menu: keyof Manifest['contributes']['menus']): boolean =>
    menus[menu].some((entry) => entry.command === command);
  // The title of a view hands over the node that has the focus, and undefined where none has.
  return stands('view/item/context') && !stands('view/title');
}

/** What is read of this extension's own package.json. */
interface Manifest {
  readonly contributes: {
    readonly menus: Readonly<Record<'view/item/context' | 'view/title', readonly { readonly command: string }[]>>;
  };
}
