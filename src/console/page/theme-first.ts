// Runs before the page is painted, so that the theme that was chosen doesn’t replace another one before the eye.
{
  const theme = localStorage.getItem('ninefold-theme');
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;
}
