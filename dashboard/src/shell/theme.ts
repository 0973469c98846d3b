export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

export function readTheme(): Theme {
  try {
    return THEMES.find((one) => one === localStorage.getItem('theme')) ?? 'system'
  } catch {
    return 'system'
  }
}

/** public/theme.js hears of it and repaints; it is also what paints first. */
export function chooseTheme(theme: Theme): void {
  try {
    localStorage.setItem('theme', theme)
  } catch {
    // Kept for nobody: the system's theme stays.
  }
  dispatchEvent(new Event('themechange'))
}

export function listenForTheme(listener: () => void): () => void {
  for (const event of ['themechange', 'storage']) addEventListener(event, listener)
  return () => {
    for (const event of ['themechange', 'storage']) removeEventListener(event, listener)
  }
}
