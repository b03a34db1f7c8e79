/** The parts of jedison that the form uses; the package has no types. */
declare module 'jedison' {
  interface Form {
    getValue(): unknown;
    getErrors(): readonly { readonly path: string; readonly messages: readonly string[] }[];
    showValidationErrors(): boolean;
    destroy(): void;
  }
  interface Options {
    readonly container: HTMLElement;
    readonly theme: object;
    readonly schema: unknown;
    readonly data?: unknown;
    readonly btnIcons: boolean;
    readonly objectAdd: boolean;
    readonly arrayMove: boolean;
    readonly arrayDeleteConfirm: boolean;
    /** Texts are already escaped. */
    readonly purifyHtml: boolean;
    readonly showErrors: 'input';
  }
  const jedison: {
    readonly Create: new (options: Options) => Form;
    readonly Theme: new () => object;
  };
  // As the package has it.
  // biome-ignore lint/style/noDefaultExport: the package has no other export
  export default jedison;
}
