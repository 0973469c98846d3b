import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { BookOpen, Plus, Search } from 'lucide-react'
import { overviewQuery } from '../api/queries.ts'
import { OrganizationMenu } from './organization-menu.tsx'
import { PersonMenu } from './person-menu.tsx'
import { PLACES, type Place } from './places.ts'
import { ThemeSwitch } from './theme-switch.tsx'

const ROW = 'group flex h-8 items-center gap-2.5 rounded-md px-2 hover:bg-hover hover:text-ink pointer-coarse:h-11'

const BOX =
  'flex h-8 items-center rounded-md border border-line bg-surface text-faint shadow-card hover:border-line-strong pointer-coarse:h-11'

export function Sidebar({ onSearch }: { onSearch(): void }) {
  return (
    <nav aria-label="Main" className="thin-scroll flex h-full flex-col gap-4 overflow-y-auto p-3">
      <OrganizationMenu />
      <div className="flex shrink-0 gap-2">
        <button type="button" onClick={onSearch} className={`${BOX} flex-1 gap-2 px-2`}>
          <Search size={14} aria-hidden />
          <span className="flex-1 text-left">Search</span>
          <kbd className="rounded border border-line px-1 font-sans text-2xs">⌘K</kbd>
        </button>
        <Link to="/new" aria-label="New project" className={`${BOX} w-8 justify-center pointer-coarse:w-11`}>
          <Plus size={15} aria-hidden />
        </Link>
      </div>
      <Places of={PLACES.filter(({ group }) => group === undefined)} />
      <Places of={PLACES.filter(({ group }) => group === 'Platform')} heading="Platform" />
      <div className="mt-auto">
        <a href="/api/docs" className={`${ROW} mb-3 text-soft`}>
          <BookOpen size={15} aria-hidden strokeWidth={1.9} />
          API reference
        </a>
        <div className="flex items-center gap-2 border-t border-line pt-3">
          <PersonMenu />
          <ThemeSwitch />
        </div>
      </div>
    </nav>
  )
}

function Places({ of, heading }: { of: Place[]; heading?: string }) {
  if (of.length === 0) return null
  return (
    <div>
      {heading && <p className="px-2 pb-1 text-2xs font-medium text-faint">{heading}</p>}
      <ul className="space-y-px">
        {of.map((place) => (
          <PlaceRow key={place.to} place={place} />
        ))}
      </ul>
    </div>
  )
}

function PlaceRow({ place: { to, label, icon: Icon, key } }: { place: Place }) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        inactiveProps={{ className: 'text-soft' }}
        activeProps={{ className: 'bg-hover text-ink font-medium' }}
        className={ROW}
      >
        <Icon size={15} aria-hidden strokeWidth={1.9} />
        {label}
        {to === '/' && <Waiting />}
        <span
          aria-hidden
          className="ml-auto font-mono text-2xs text-faint opacity-0 group-hover:opacity-100 pointer-coarse:hidden"
        >
          g {key}
        </span>
      </Link>
    </li>
  )
}

/** A counter only where something waits for a person. */
function Waiting() {
  const { data } = useQuery(overviewQuery)
  const count = data?.deployments.waiting ?? 0
  if (count === 0) return null
  return (
    <span className="rounded-full bg-ask-tint px-1.5 text-2xs font-semibold text-ask num">
      {count}
      <span className="sr-only"> waiting for somebody</span>
    </span>
  )
}
