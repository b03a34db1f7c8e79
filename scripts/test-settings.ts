/** User settings of every window in which tests run. */
export const TEST_SETTINGS = {
  // Would draw a second screen into a terminal.
  'terminal.integrated.stickyScroll.enabled': false,
  // Would run npm to install types for the JavaScript in the window.
  'typescript.disableAutomaticTypeAcquisition': true,
  // What moves on the screen takes processor time from the tests.
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
