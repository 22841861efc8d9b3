export const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

type Theme = (typeof THEMES)[number]['value']

const KEY = 'svc-theme'

export function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find(({ value }) => value === stored)?.value ?? 'system'
}

/** Shows the page in the theme and remembers it in this browser. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  document.documentElement.dataset.theme = theme
}
