import type { VerifyStep } from '@slipway/contract/backup-destinations'
import type { StoragePlace } from '../../drivers/storage/storage.ts'
import type { BaseParts } from '../parts.ts'
import { openEngineTarget } from '../servers/open-engine-target.ts'
import * as servers from '../servers/store.ts'
import { type Why, whyNotHere, whyNotLocal } from './local-root.ts'
import { openSecrets, type Secret, UnreadableSecret } from './secrets.ts'
import type { DestinationRow } from './store.ts'

type Parts = Pick<BaseParts, 'db' | 'config' | 'keys'>
export type Secrets = Record<Secret, string | null>

/** A destination that cannot even be tried. */
export class DestinationUnusable extends Error {
  readonly step: VerifyStep
  readonly hint: string

  constructor(step: VerifyStep, { message, hint }: Why) {
    super(message)
    this.name = 'DestinationUnusable'
    this.step = step
    this.hint = hint
  }
}

/** Where a destination is and how it is opened, with its secrets in the clear; throws `DestinationUnusable`. */
export async function placeOf(parts: Parts, row: DestinationRow): Promise<{ place: StoragePlace; secrets: Secrets }> {
  const secrets = opened(parts, row)
  return { place: await placeWith(parts, row, secrets), secrets }
}

/** A folder below a destination's prefix. An empty one stays relative: with a slash it would lead to the root of an SFTP server. */
export function below(place: StoragePlace, folder: string): StoragePlace {
  const prefix = place.prefix ?? ''
  return { ...place, prefix: prefix === '' ? folder : `${prefix.replace(/\/$/, '')}/${folder}` }
}

function opened(parts: Parts, row: DestinationRow): Secrets {
  try {
    return openSecrets(parts, row)
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    throw new DestinationUnusable('auth', {
      message: `${error.message} It was changed outside of Slipway, or its key is not in SLIPWAY_SECRET_KEY.`,
      hint: `Set ${error.secret} again.`,
    })
  }
}

async function placeWith(parts: Parts, row: DestinationRow, secrets: Secrets): Promise<StoragePlace> {
  const prefix = (row.pathPrefix ?? '').replace(/\/$/, '')
  const relative = prefix.replace(/^\//, '')
  switch (row.kind) {
    case 's3_compatible':
      return {
        kind: 's3_compatible',
        endpoint: row.endpoint,
        region: row.region,
        bucket: row.bucket ?? '',
        accessKeyId: secrets.accessKeyId ?? '',
        secretAccessKey: secrets.secretAccessKey ?? '',
        // Hosts of one's own seldom have a name for each bucket.
        forcePathStyle: row.forcePathStyle ?? row.endpoint !== null,
        prefix: relative,
      }
    case 'sftp':
      return {
        kind: 'sftp',
        host: row.sshHost ?? '',
        port: row.sshPort ?? 22,
        user: row.sshUser ?? '',
        password: secrets.sftpPassword,
        privateKey: secrets.sftpPrivateKey,
        passphrase: secrets.sftpKeyPassphrase,
        hostKey: row.hostKey,
        prefix: row.pathPrefix === '/' ? '/' : prefix,
      }
    case 'local': {
      const why = whyNotLocal(parts)
      if (why !== null) throw new DestinationUnusable('connect', why)
      return { kind: 'local', root: parts.config.backups.localRoot ?? '', path: row.endpoint ?? '', prefix: relative }
    }
    case 'platform_server':
      return { kind: 'platform_server', ...(await onServer(parts, row)), prefix: relative }
  }
}

/** Each organization has a folder of its own on a machine that several may share. */
async function onServer(parts: Parts, row: DestinationRow) {
  const server = row.serverId === null ? undefined : await servers.find(parts.db, row.orgId, row.serverId)
  if (!server) {
    throw new DestinationUnusable('connect', {
      message: 'The server of this destination was removed.',
      hint: 'Choose another one as serverId, or delete the destination.',
    })
  }
  const folder = `${parts.config.backups.serverRoot}/${row.orgId}`
  const engine = reachable(parts, server)
  if (engine.kind === 'local') {
    const why = whyNotHere(parts)
    if (why !== null) throw new DestinationUnusable('connect', why)
    return { target: { kind: 'local' as const }, folder }
  }
  if (engine.ssh.hostKey === null) {
    throw new DestinationUnusable('connect', {
      message: `Nobody has confirmed the host key of the server ${server.name} yet.`,
      hint: `Check it first: POST /api/servers/${server.id}/check.`,
    })
  }
  return { target: { kind: 'ssh' as const, ssh: engine.ssh }, folder }
}

function reachable(parts: Parts, server: servers.ServerRow) {
  try {
    return openEngineTarget(parts, server)
  } catch {
    throw new DestinationUnusable('auth', {
      message: `The stored key of the server ${server.name} cannot be opened.`,
      hint: 'Give the server its private key again.',
    })
  }
}
