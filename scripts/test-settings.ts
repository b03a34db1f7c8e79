/** User settings of every window in which tests run. */
export const TEST_SETTINGS = {
  // It would draw a second screen into a terminal.
  'terminal.integrated.stickyScroll.enabled': false,
  // It would run npm to install types for the JavaScript in the window.
  'typescript.disableAutomaticTypeAcquisition': true,
  // Animations take processor time from the tests.
  'editor.cursorBlinking': 'solid',
  'workbench.reduceMotion': 'on',
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'extensions.autoUpdate': false,
  'files.simpleDialog.enable': true,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/**
 * The built-in extensions of every window in which tests run: those that Taskwright or a test uses. All others take a
 * seventh of the processor time of opening a window.
 */
export const TEST_EXTENSIONS = [
  'css',
  'debug-server-ready',
  'diff',
  'html',
  'javascript',
  'json',
  'json-language-features',
  'log',
  'markdown-basics',
  'markdown-language-features',
  'ms-vscode.js-debug',
  'python',
  'theme-defaults',
  'theme-modern-icons',
  'theme-seti',
  'typescript-basics',
  'typescript-language-features',
  'yaml',
];
