import { Monitor, Moon, Sun } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { Button } from '../ui/button.tsx'
import { chooseTheme, listenForTheme, readTheme, THEMES } from './theme.ts'

const SIGNS = { system: Monitor, light: Sun, dark: Moon }

export function ThemeSwitch() {
  const theme = useSyncExternalStore(listenForTheme, readTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const Sign = SIGNS[theme]
  return (
    <Button
      look="quiet"
      size="icon"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      onClick={() => chooseTheme(next)}
    >
      <Sign size={15} aria-hidden />
    </Button>
  )
}
