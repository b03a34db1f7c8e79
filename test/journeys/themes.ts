import { isLong } from '../sample.ts';

export type Theme = 'dark' | 'light' | 'high contrast';

/** For each theme: its label in VS Code, and the CSS class of a window that uses it. */
export const THEMES: Record<Theme, readonly [label: string, className: string]> = {
  dark: ['Dark Modern', 'vs-dark'],
  light: ['Light Modern', 'vs'],
  'high contrast': ['Dark High Contrast', 'hc-black'],
};

/** The themes besides the dark one in which journeys are repeated: all with `npm run test:long`, otherwise none. */
export const OTHER_THEMES: readonly Theme[] = isLong ? ['light', 'high contrast'] : [];
