import type { FoundEngine } from '../../drivers/runtime/reading/found.ts'
import type { Listing } from '../../drivers/runtime/reading/server-reader.ts'
import { shown } from './carry-over/verdict.ts'
import type { ReadFiles } from './read-files.ts'
import type { Unit } from './units.ts'

type Found = { engine: FoundEngine; listing: Listing; units: Unit[]; read: ReadFiles; sizesLate: boolean }

/** What is to be known about the look at the server itself. */
export function warningsOf({ engine, listing, units, read, sizesLate }: Found): string[] {
  const { total, tooLarge, containers } = listing
  const shownNow = containers.length + tooLarge
  return [
    ...(total > shownNow ? [`Of ${total} containers the newest ${shownNow} are shown.`] : []),
    ...(tooLarge > 0 ? [`${tooLarge} containers say more about themselves than 4 MiB and are left out.`] : []),
    ...swarmWarnings(engine),
    ...folderWarnings(units),
    ...(read.lacking === null ? [] : [LACKING[read.lacking]]),
    ...(sizesLate ? ['How large the volumes are could not be told in time.'] : []),
    'Services that are adopted keep at most three files of 10 MB of what they print, unless they said otherwise.',
  ]
}

const LACKING = {
  no_files: 'The server offers no files to look at (SFTP), so compose files were not compared.',
  late: 'Not all compose files could be looked at in time.',
  cut: 'There are more files in the usual folders than were looked through; a stack that is down may be missing.',
}

function swarmWarnings({ swarm, manager, liveRestore, rootless }: FoundEngine): string[] {
  if (swarm === 'active' && !manager)
    return ['The server is a worker of a Swarm: deployments need one of its managers.']
  if (swarm === 'active') return []
  const init = 'Deployments need Swarm mode: run docker swarm init on the server first.'
  if (rootless)
    return ['The engine runs rootless, which has no networks of a Swarm: what is adopted could not be deployed here.']
  if (!liveRestore) return [init]
  return [`${init} It fails while live-restore is set: take that out of /etc/docker/daemon.json before.`]
}

/** Compose itself goes by the name alone, and takes two folders for one stack. */
function folderWarnings(units: Unit[]): string[] {
  const folders = Map.groupBy(
    units.flatMap(({ containers, origin }) => (origin === null ? [] : containers.map(({ run }) => ({ run, origin })))),
    ({ origin }) => origin.project,
  )
  return [...folders].flatMap(([name, members]) => {
    const all = new Set(members.map(({ run }) => run.labels['com.docker.compose.project.working_dir'] ?? ''))
    if (all.size < 2) return []
    return [`Containers of ${all.size} folders call themselves ${shown(name)}: ${shown([...all].sort().join(', '))}.`]
  })
}
