/** What people choose of: that of the system, or one of the two. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'ninefold-theme';

/** The theme that was chosen in this browser. */
export function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((one) => one === stored) ?? 'system';
}

/** Puts a theme in force and keeps it for the next visit. */
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
