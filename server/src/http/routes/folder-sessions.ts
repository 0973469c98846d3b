import { folderSessions } from '@slipway/contract/folder-sessions'
import type { Platform } from '../../core/platform.ts'
import { createSession } from '../../core/uploads/create.ts'
import { createFromTar } from '../../core/uploads/from-tar.ts'
import { putBlob } from '../../core/uploads/put-blob.ts'
import { putBlobs } from '../../core/uploads/put-blobs.ts'
import { sealSession } from '../../core/uploads/seal.ts'
import { showSession } from '../../core/uploads/show.ts'
import { on, type Route } from '../route.ts'

export const folderSessionRoutes = (platform: Platform): Route[] => [
  on(folderSessions.create, ({ caller, query, body, stream }) =>
    stream
      ? createFromTar(platform, caller, stream, query.mode)
      : createSession(platform, caller, { ...query, ...body }),
  ),
  on(folderSessions.show, ({ caller, params }) => showSession(platform, caller, params.id)),
  on(folderSessions.putBlob, ({ caller, params, stream }) => putBlob(platform, caller, params.id, params.sha, stream)),
  on(folderSessions.putBlobs, ({ caller, params, stream }) => putBlobs(platform, caller, params.id, stream)),
  on(folderSessions.seal, ({ caller, params }) => sealSession(platform, caller, params.id)),
]
