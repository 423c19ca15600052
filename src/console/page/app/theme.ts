/** The selectable themes: that of the system, or a fixed one. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'ninefold-theme';

/** The stored theme of this browser. */
export function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((one) => one === stored) ?? 'system';
}

/** Applies a theme, and stores it for later visits. */
export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') {
    localStorage.removeItem(KEY);
    delete dataset.theme;
    return;
  }
  localStorage.setItem(KEY, theme);
  dataset.theme = theme;
}
