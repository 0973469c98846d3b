import { Link, type LinkProps } from '@tanstack/react-router'

export const LOOK =
  'inline-flex items-center font-medium text-brand underline underline-offset-4 pointer-coarse:min-h-11'

/** The page of what something was done to, by the prefix of its id; without one, the id alone. */
const PAGES: Record<string, (id: string) => LinkProps & { word: string }> = {
  dep: (id) => ({ to: '/deployments/$id', params: { id }, word: 'The deployment' }),
  prj: (id) => ({ to: '/projects/$id', params: { id }, word: 'The project' }),
  dst: () => ({ to: '/backups', word: 'Backups' }),
  tok: () => ({ to: '/settings', search: { tab: 'tokens' }, word: 'Tokens' }),
  usr: () => ({ to: '/settings', search: { tab: 'members' }, word: 'Members' }),
  inv: () => ({ to: '/settings', search: { tab: 'members' }, word: 'Members' }),
  reg: () => ({ to: '/settings', search: { tab: 'registries' }, word: 'Registries' }),
  ghd: () => ({ to: '/git', search: { tab: 'deliveries' }, word: 'Deliveries' }),
}

export function TargetLink({ id }: { id: string }) {
  const page = PAGES[/^([a-z]+)_/.exec(id)?.[1] ?? '']?.(id)
  if (!page) return <span className="font-mono break-all text-soft">{id}</span>
  const { word, ...link } = page
  return (
    <Link {...link} className={LOOK}>
      {word}
    </Link>
  )
}
