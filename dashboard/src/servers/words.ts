import type { Server, ServerReport } from '@slipway/contract/servers'
import { bytesInWords } from '../ui/bytes-in-words.ts'
import type { Tone } from '../ui/title.ts'

export type ServerState = { word: string; tone: Tone }

/** How a server is, by its last check. Amber: somebody should look; a check that failed is red. */
export function stateOf({ lastReport }: Pick<Server, 'lastReport'>): ServerState {
  if (lastReport === null) return { word: 'Not looked at', tone: 'idle' }
  if (!lastReport.ok) return { word: 'Failed', tone: 'bad' }
  return lastReport.checks.some(({ state }) => state === 'warning')
    ? { word: 'Warnings', tone: 'ask' }
    : { word: 'OK', tone: 'ok' }
}

export const placeOf = ({ kind, user, host, port }: Server): string =>
  kind === 'local' ? 'this machine' : `${user}@${host}${port === 22 ? '' : `:${port}`}`

/** `Docker 28.5 · 4 cpu · 7.6 GB, 3.1 GB free · disk 41 of 80 GB` */
export function reportInWords({
  engineVersion,
  cpus,
  memoryBytes,
  memoryAvailableBytes,
  diskBytes,
  diskFreeBytes,
}: ServerReport): string {
  const free = memoryAvailableBytes === null ? '' : `, ${bytesInWords(memoryAvailableBytes)} free`
  const memory = memoryBytes !== null && `${bytesInWords(memoryBytes)}${free}`
  const disk =
    diskBytes !== null &&
    (diskFreeBytes === null
      ? `disk ${bytesInWords(diskBytes)}`
      : `disk ${bytesInWords(diskBytes - diskFreeBytes)} of ${bytesInWords(diskBytes)}`)
  return [engineVersion && `Docker ${engineVersion}`, cpus !== null && `${cpus} cpu`, memory, disk]
    .filter(Boolean)
    .join(' · ')
}
