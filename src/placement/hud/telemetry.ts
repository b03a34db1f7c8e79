/** Without these HUD sends what runs here to its makers. */
export const NO_TELEMETRY = { HUD_TELEMETRY_ENABLED: 'false', HUD_CLI_ANALYTICS_ENABLED: 'false' } as const;
