import type { EngineTarget } from '../../drivers/engine/engine.ts'
import type { Runtime } from '../../drivers/runtime/runtime.ts'
import type { BaseParts } from '../parts.ts'
import { inTheWay } from './in-the-way.ts'
import * as store from './store.ts'

type InPlaceMount = { kind: 'volume' | 'path'; source: string; readOnly: boolean }
export type InPlaceUse = { orgId: string; projectId: string; mounts: InPlaceMount[]; ports: number[] }

/** Why what is on a server cannot be used there now. */
export type Obstacle = { code: 'grant_missing' | 'originals_present'; message: string; hint: string }

type Parts = Pick<BaseParts, 'db' | 'serverReading'> & { runtime: Pick<Runtime, 'occupants'> }

/**
 * Before anything of a server is used where it is: the rows still allow exactly this on exactly this engine, all of it is there and is what
 * it was, and nobody else has it. Asked anew each time: what held at the last deployment may not hold now.
 */
export async function checkInPlace(
  parts: Parts,
  engine: EngineTarget,
  use: InPlaceUse,
  signal: AbortSignal,
): Promise<Obstacle | null> {
  const { mounts, ports, projectId: project } = use
  const of = (kind: InPlaceMount['kind']) => mounts.filter((one) => one.kind === kind).map(({ source }) => source)
  const rows = await store.alive(parts.db, use.orgId, project)
  const wanted = { project, volumes: of('volume'), paths: of('path'), ports }
  const { engineId, missing, occupants } = await parts.runtime.occupants(engine, wanted, { signal })
  const granted = mounts.flatMap(
    (mount) => rows.find((row) => row.kind === mount.kind && row.source === mount.source) ?? [],
  )
  const lacking = mounts.map((mount) => lackingFor(mount, rows, engineId)).find((why) => why !== null)
  if (lacking) return { code: 'grant_missing', message: lacking, hint: GRANT_HINT }
  if (missing.length > 0) {
    const message = `The volume ${missing.join(', ')} is no longer on the server.`
    return {
      code: 'grant_missing',
      message,
      hint: 'No empty one is made in its place. Bring it back, then deploy again.',
    }
  }
  const way = inTheWay(occupants)
  if (way) return { code: 'originals_present', message: way.message, hint: way.hint }
  const moved = await movedPath(parts, engine, granted.flatMap(pathOf), signal)
  return moved === null
    ? null
    : {
        code: 'grant_missing',
        message: moved,
        hint: 'Look at it on the server. Adopt the service again to grant another place.',
      }
}

const GRANT_HINT =
  'GET /api/projects/:id/grants tells what the project may use. Adopt the services again to grant it anew.'

function lackingFor({ kind, source, readOnly }: InPlaceMount, rows: store.GrantRow[], engineId: string): string | null {
  const row = rows.find((one) => one.kind === kind && one.source === source)
  const what = `the ${kind} ${source}`
  if (!row) return `The project may not use ${what} of the server: it was not granted, or that was revoked.`
  if (row.engineId !== engineId)
    return `The project was granted ${what} of another engine than the one that answers here.`
  return readOnly || row.writable ? null : `The project may only read ${what} of the server.`
}

/** A path of the server, or a volume that is one in disguise, and where its links ended when it was granted. */
const pathOf = ({ kind, source, device, realPath }: store.GrantRow): { path: string; real: string | null }[] => {
  const path = kind === 'path' ? source : device
  return path?.startsWith('/') ? [{ path, real: realPath }] : []
}

/** A path whose links end elsewhere now is another one: whoever may write beside it could make it lead anywhere. */
async function movedPath(
  { serverReading }: Pick<BaseParts, 'serverReading'>,
  engine: EngineTarget,
  paths: { path: string; real: string | null }[],
  signal: AbortSignal,
): Promise<string | null> {
  if (paths.length === 0) return null
  const reader = await serverReading.open(engine, { signal })
  try {
    const { files } = reader
    if (files === null) return 'The server offers no files to look at (SFTP), so its paths cannot be checked.'
    for (const { path, real } of paths) {
      const now = await files.realpath(path).catch(() => null)
      if (now === null) return `The path ${path} is no longer on the server.`
      if (now !== real) return `The path ${path} of the server leads elsewhere now than when it was granted.`
      if (
        !(await files.facts(now).then(
          () => true,
          () => false,
        ))
      )
        return `The path ${path} is no longer on the server.`
    }
    return null
  } finally {
    reader.close()
  }
}
