import { Link } from '@tanstack/react-router'
import { TABS, type Tab } from './view.ts'

/** Each side is an address, so they are links. On a phone the row is moved, not the page. */
export function DeploymentTabs({ id, current }: { id: string; current: Tab }) {
  return (
    <nav aria-label="Sides of the deployment" className="border-b border-line px-4 sm:px-8">
      <ul className="thin-scroll -mb-px flex gap-5 overflow-x-auto">
        {TABS.map(({ name, label }) => (
          <li key={name} className="shrink-0">
            <Link
              to="/deployments/$id"
              params={{ id }}
              search={name === 'log' ? {} : { tab: name }}
              resetScroll={false}
              // Else the router calls the first one current on every side: its address is a part of theirs.
              activeOptions={{ exact: true }}
              aria-current={name === current ? 'page' : undefined}
              className={`inline-flex h-10 items-center border-b-2 outline-offset-[-2px] pointer-coarse:h-11 ${name === current ? 'border-ink font-medium' : 'border-transparent text-soft hover:text-ink'}`}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
