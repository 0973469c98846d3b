import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { PROJECT_TABS, type ProjectTab } from './tabs.ts'

/** Each side is an address, so they are links. On a phone the row is moved, not the page. */
export function ProjectTabs({ id, current }: { id: string; current: ProjectTab }) {
  const row = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: where another side is shown, its tab is to be seen
  useEffect(() => showCurrent(row.current), [current])
  return (
    <nav aria-label="Sides of the project" className="mb-6 border-b border-line">
      <ul ref={row} className="thin-scroll -mb-px flex gap-5 overflow-x-auto">
        {PROJECT_TABS.map(({ name, label }) => (
          <li key={name} className="shrink-0">
            <Link
              to="/projects/$id"
              params={{ id }}
              search={name === 'overview' ? {} : { tab: name }}
              resetScroll={false}
              // Else the router calls the first one current on every side: its address is a part of theirs.
              activeOptions={{ exact: true }}
              aria-current={name === current ? 'page' : undefined}
              className={`inline-flex h-9 items-center border-b-2 outline-offset-[-2px] pointer-coarse:h-11 ${name === current ? 'border-ink font-medium' : 'border-transparent text-soft hover:text-ink'}`}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Moves the row alone: `scrollIntoView` would move the page as well. */
function showCurrent(row: HTMLElement | null): void {
  const tab = row?.querySelector<HTMLElement>('[aria-current]')
  if (!row || !tab) return
  const { left, right } = tab.getBoundingClientRect()
  const box = row.getBoundingClientRect()
  if (right > box.right) row.scrollLeft += right - box.right
  else if (left < box.left) row.scrollLeft -= box.left - left
}
