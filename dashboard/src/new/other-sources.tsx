import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FolderUp, GitBranch, type LucideIcon, Package, Server } from 'lucide-react'
import { instanceQuery, serversQuery } from '../api/queries.ts'
import type { From } from './search.ts'

const WAYS: { from: From; icon: LucideIcon; title: string; note: string }[] = [
  { from: 'folder', icon: FolderUp, title: 'A folder', note: 'From this machine' },
  { from: 'repository', icon: GitBranch, title: 'A repository', note: 'Every push deploys' },
  { from: 'image', icon: Package, title: 'An image', note: 'From any registry' },
]

const LOOK =
  'flex h-full items-center gap-3 rounded-xl border border-line bg-surface p-4 shadow-card hover:border-line-strong'

/** The other ways to begin; each is an address. */
export function OtherSources({ from }: { from: From }) {
  const { data: instance } = useQuery(instanceQuery)
  const others = WAYS.filter((way) => way.from !== from)
  return (
    <>
      <p className="my-5 text-center text-xs text-faint">or begin with</p>
      <ul className="grid gap-3 sm:grid-cols-3">
        {others.map(({ from: to, ...way }) => (
          <li key={to}>
            <Link to="/new" search={({ project }) => ({ from: to, ...(project && { project }) })} className={LOOK}>
              <Way {...way} />
            </Link>
          </li>
        ))}
        {/* A cloud has no servers of its users to look at. */}
        {instance?.mode !== 'cloud' && (
          <li>
            <Adopting />
          </li>
        )}
      </ul>
    </>
  )
}

/** Where there is one server alone, nobody has to choose it. */
function Adopting() {
  const { data: servers = [] } = useQuery(serversQuery)
  const [only] = servers
  const way = <Way icon={Server} title="What runs already" note="Adopt it from a server" />
  if (!only || servers.length > 1)
    return (
      <Link to="/servers" className={LOOK}>
        {way}
      </Link>
    )
  return (
    <Link to="/servers/$id/adopt" params={{ id: only.id }} className={LOOK}>
      {way}
    </Link>
  )
}

const Way = ({ icon: Icon, title, note }: { icon: LucideIcon; title: string; note: string }) => (
  <>
    <Icon size={18} className="shrink-0 text-faint" aria-hidden />
    <span className="min-w-0">
      <span className="block font-medium">{title}</span>
      <span className="block text-xs text-faint">{note}</span>
    </span>
  </>
)
