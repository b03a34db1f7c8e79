export interface PanelPage {
  /** Allows only the page's own script. */
  readonly nonce: string;
  /** The source of style sheets and images. */
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  readonly language: string;
  /** The translated messages as JSON; undefined in English. */
  readonly messages?: string | undefined;
}

/** The document of a webview. Its script renders everything, from the messages of the extension. */
export function panelHtml({ nonce, cspSource, script, style, language, messages }: PanelPage): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    // The nonce is for an empty style sheet that the toolkit uses for feature detection.
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `img-src ${cspSource} data: blob:`,
    `font-src ${cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(language)}"${messages === undefined ? '' : ` data-l10n="${attribute(messages)}"`}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta property="csp-nonce" content="${attribute(nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${attribute(style)}">
<title>Run</title>
</head>
<body>
<script nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
