import { whereIs } from './image-name.ts'

export type Reach = { host: string; path: string | null; projectId: string | null }

/** Whether a credential is for this image. Paths are compared name by name: `team` is not the beginning of `teams/app`. */
export function covers({ host, path }: Pick<Reach, 'host' | 'path'>, image: string): boolean {
  const where = whereIs(image)
  return where.host === host && (path === null || `${where.path}/`.startsWith(`${path}/`))
}

/** Of those that fit: one of the project before one of the organization, then the one with the longest path. */
export function choose<One extends Reach>(all: readonly One[], image: string): One | null {
  const fitting = all.filter((one) => covers(one, image))
  const [best] = fitting.sort(
    (a, b) => Number(a.projectId === null) - Number(b.projectId === null) || lengthOf(b) - lengthOf(a),
  )
  return best ?? null
}

const lengthOf = ({ path }: Reach) => path?.length ?? 0
