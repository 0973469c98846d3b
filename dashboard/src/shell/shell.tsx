import { Outlet, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Drawer } from './drawer.tsx'
import { Mark } from './mark.tsx'
import { Sidebar } from './sidebar.tsx'
import { useHeadingFocus } from './use-heading-focus.ts'
import { useKeptFocus } from './use-kept-focus.ts'
import { useKeys } from './use-keys.ts'
import { useTypedAhead } from './use-typed-ahead.ts'

// Only who presses the key pays for it.
const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })))
const KeySheet = lazy(() => import('./key-sheet.tsx').then(({ KeySheet }) => ({ default: KeySheet })))

/** What lies over the page; one thing at a time. */
type Over = 'palette' | 'keys' | 'drawer' | null

export function Shell() {
  const [over, setOver] = useState<Over>(null)
  const path = useRouterState({ select: (state) => state.location.pathname })
  const search = useCallback(() => setOver('palette'), [])
  const help = useCallback(() => setOver('keys'), [])
  const close = () => setOver(null)
  useKeys({ search, help })
  const ahead = useTypedAhead(over === 'palette')
  useHeadingFocus()
  useKeptFocus()
  // biome-ignore lint/correctness/useExhaustiveDependencies: leaving a page closes what lay over it
  useEffect(() => setOver(null), [path])
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2 focus:shadow-pop"
      >
        Skip to the content
      </a>
      <aside className="sticky top-0 hidden h-dvh border-r border-line bg-canvas md:block">
        <Sidebar onSearch={search} />
      </aside>
      <TopBar onMenu={() => setOver('drawer')} onSearch={search} />
      <Drawer open={over === 'drawer'} onClose={close}>
        <Sidebar onSearch={search} />
      </Drawer>
      <main id="main" tabIndex={-1} className="min-w-0 outline-none">
        <Outlet />
      </main>
      <Suspense>
        {over === 'palette' && <Palette ahead={ahead} onClose={close} onKeys={help} />}
        {over === 'keys' && <KeySheet onClose={close} />}
      </Suspense>
    </div>
  )
}

/** In place of the sidebar where there is no room for it. */
function TopBar({ onMenu, onSearch }: { onMenu(): void; onSearch(): void }) {
  return (
    <header className="sticky top-0 z-30 flex h-13 items-center gap-2 border-b border-line bg-canvas/90 px-2 backdrop-blur md:hidden">
      <Button look="quiet" size="icon" aria-label="Open the menu" onClick={onMenu}>
        <MenuIcon size={18} aria-hidden />
      </Button>
      <Mark />
      <span className="font-semibold tracking-tight">Slipway</span>
      <Button look="quiet" size="icon" className="ml-auto" aria-label="Search and commands" onClick={onSearch}>
        <Search size={17} aria-hidden />
      </Button>
    </header>
  )
}
