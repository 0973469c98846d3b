import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { meQuery } from '../api/queries.ts'
import { Mark } from '../shell/mark.tsx'
import { ThemeSwitch } from '../shell/theme-switch.tsx'
import { Bones } from '../ui/page.tsx'
import { useTitle } from '../ui/title.ts'
import { Checklist } from './checklist.tsx'
import { isSetUp } from './steps.ts'
import { useSetup } from './use-setup.ts'

export function SetupPage() {
  useTitle('Setup · Slipway')
  const { data: me } = useQuery(meQuery)
  const steps = useSetup()
  return (
    <main className="mx-auto max-w-xl px-4 py-10">
      <div className="mb-6 flex items-center gap-2.5">
        <Mark large />
        <span className="flex-1 truncate text-lg font-semibold tracking-tight">{me?.organization.name}</span>
        <ThemeSwitch />
      </div>
      <h1 className="text-xl font-semibold tracking-tight">Welcome, {me?.user.name}</h1>
      <p className="mt-1 mb-5 text-soft">From nothing to an address. You can leave at any time and go on later.</p>
      {steps ? <Checklist steps={steps} /> : <Bones rows={5} />}
      <Link
        to="/"
        className="mt-5 inline-flex h-10 items-center rounded-md border border-line bg-surface px-4 font-medium shadow-card hover:bg-hover pointer-coarse:h-11"
      >
        {steps && isSetUp(steps) ? 'To the overview' : 'Later: to the overview'}
      </Link>
    </main>
  )
}
