import { Link } from '@tanstack/react-router'

type Props<Name extends string> = {
  label: string
  to: '/settings' | '/git'
  tabs: readonly { name: Name; label: string }[]
  current: Name
}

/** Where there is no room for all of them, the one that is shown is among those that are seen. */
const intoView = (link: HTMLAnchorElement | null) => link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })

/** The sides of a thing. Each is an address, so they are links; the first one is the address without anything. */
export function TabLinks<Name extends string>({ label, to, tabs, current }: Props<Name>) {
  return (
    <nav aria-label={label} className="mb-6 border-b border-line">
      <ul className="thin-scroll -mb-px flex gap-5 overflow-x-auto">
        {tabs.map(({ name, label: shown }, at) => (
          <li key={name} className="shrink-0">
            <Link
              to={to}
              // Whoever says the page says its tabs; the router cannot know that they belong together.
              search={(at === 0 ? {} : { tab: name }) as never}
              // An address without a tab would be the current one on every side.
              activeOptions={{ exact: true }}
              aria-current={name === current ? 'page' : undefined}
              ref={name === current ? intoView : undefined}
              className={`inline-flex h-9 items-center border-b-2 outline-offset-[-2px] pointer-coarse:h-11 ${name === current ? 'border-ink font-medium' : 'border-transparent text-soft hover:text-ink'}`}
            >
              {shown}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
