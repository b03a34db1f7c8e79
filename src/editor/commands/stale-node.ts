import type * as vscode from 'vscode';

/**
 * Whether a command was invoked on a tree node that no longer exists. VS Code then passes undefined, and without a node
 * the command would act on something else.
 *
 * @param args the arguments of the command: none if it comes from the palette or a key binding
 */
export function isStaleNode(
  { packageJSON }: vscode.Extension<unknown>,
  command: string,
  args: readonly unknown[],
): boolean {
  if (args.length === 0 || (args[0] !== undefined && args[0] !== null)) return false;
  const { menus } = (packageJSON as Manifest).contributes;
  const isIn = (menu: string): boolean =>
    (menus[menu] ?? []).some(
      (entry) => entry.command === command || (entry.submenu !== undefined && isIn(entry.submenu)),
    );
  // The title menu of a view passes the focused node, and undefined if there is none.
  return isIn('view/item/context') && !isIn('view/title');
}

/** The part of the extension's package.json that is read here. */
interface Manifest {
  readonly contributes: {
    readonly menus: Readonly<
      Record<string, readonly { readonly command?: string; readonly submenu?: string }[] | undefined>
    >;
  };
}
