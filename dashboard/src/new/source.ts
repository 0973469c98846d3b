import type { GithostRepository } from '@slipway/contract/githost-shape'
import type { Prepare } from '@slipway/contract/prepare'
import { isHereOnly, NAME_HERE_ONLY } from '../domains/here-only.ts'
import type { ReadFolder } from '../folders/read-folder.ts'

/** What is to be deployed, once it is known. */
export type Source =
  | { kind: 'folder'; folder: ReadFolder; uploadSessionId: string; sent: number; sentBytes: number }
  | { kind: 'repository'; repository: GithostRepository; branch: string }
  | { kind: 'image'; image: string }

/** What the server is to look at; null: there is nothing to be recognised in an image. */
export function toPrepare(source: Source): Prepare | null {
  if (source.kind === 'image') return null
  if (source.kind === 'folder') return { source: 'local', uploadSessionId: source.uploadSessionId }
  const { owner, name: repo } = source.repository
  return { source: 'githost', owner, repo, branch: source.branch }
}

/** How the project is called unless somebody says otherwise. */
export function usualName(source: Source): string {
  if (source.kind === 'folder') return source.folder.said.project ?? (source.folder.name || 'site')
  if (source.kind === 'repository') return source.repository.name
  const [path = ''] = source.image.split('@')
  return (
    path
      .split('/')
      .at(-1)
      ?.replace(/:[^:]*$/, '') || 'site'
  )
}

/** The first part of its free name, as the server makes it of the name of a project. */
export const labelOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'project'

/** The whole of it, as far as the end is known here, and who can open it. */
export function addressInWords(label: string, baseDomain: string | undefined): string {
  const own = 'A domain of your own can be added afterwards.'
  if (baseDomain === undefined) return `The first part of a free name. ${own}`
  return `${label}.${baseDomain}, if that is free. ${isHereOnly(baseDomain) ? NAME_HERE_ONLY : own}`
}
