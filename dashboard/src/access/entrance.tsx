import type { ReactNode } from 'react'
import { Mark } from '../shell/mark.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'

/** The pages in front of the door: one card, nothing else to look at. */
export function Entrance({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <main className="flex min-h-dvh flex-col px-4">
      <div className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center py-10">
        <div className="mb-6 flex items-center gap-2.5">
          <Mark large />
          <span className="text-lg font-semibold tracking-tight">Slipway</span>
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-card">
          <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
          {note && <p className="mt-1 text-soft text-pretty">{note}</p>}
          {children}
        </div>
      </div>
      <footer className="flex items-center justify-between gap-4 pb-4 text-xs text-faint">
        <span className="truncate">{location.host}</span>
        <ThemeSwitch />
      </footer>
    </main>
  )
}
