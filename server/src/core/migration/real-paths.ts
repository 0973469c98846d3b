import type { FileReader } from '../../drivers/ssh/file-reader.ts'
import { unsafePath } from './carry-over/mounts.ts'
import { shown } from './carry-over/verdict.ts'
import type { Unit } from './units.ts'

const MOST_PATHS = 2000
const WIDTH = 64

/** Where the links of each path end that a container has of the server; null where that cannot be told. */
export type RealPaths = ReadonlyMap<string, string | null>

export async function realPathsOf(files: FileReader | null, units: Unit[]): Promise<RealPaths> {
  const paths = [...new Set(units.flatMap(pathsOf))].slice(0, MOST_PATHS)
  const reals = new Map<string, string | null>()
  for (let n = 0; n < paths.length; n += WIDTH)
    await Promise.all(
      paths.slice(n, n + WIDTH).map(async (path) => {
        reals.set(path, files === null ? null : await files.realpath(path).catch(() => null))
      }),
    )
  return reals
}

const pathsOf = ({ carried }: Unit) =>
  carried.inPlace.flatMap((mount) =>
    mount.kind === 'path' ? [mount.source] : mount.device?.startsWith('/') ? [mount.device] : [],
  )

/** A path may be a link: where it ends is what its container has. */
export function judgePaths(units: Unit[], reals: RealPaths, around: { rootDir: string; socketPath: string }): void {
  for (const unit of units)
    for (const path of pathsOf(unit)) {
      const real = reals.get(path) ?? path
      const isJudged = real === path || unsafePath(path, around) !== null
      const why = isJudged ? null : unsafePath(real, around)
      if (why !== null)
        unit.carried.reasons.push({ key: 'volumes', message: `The path ${shown(path)} leads elsewhere. ${why}` })
    }
}
