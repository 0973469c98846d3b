import type { Preparation, Prepare } from '@slipway/contract/prepare'
import { notFound, Refusal } from '../../../errors.ts'
import { answerOf, dockerfileOf, type Found } from '../../../source/build/detection.ts'
import { remoteTree } from '../../../source/build/remote-tree.ts'
import type { ReadableTree, SourceTree } from '../../../source/build/source-tree.ts'
import { type Caller, requirePermission, requireUnrestricted } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import type { RemoteTrees } from '../../uploads/remote-trees.ts'
import { requireUnexpired } from '../../uploads/require-open.ts'
import * as uploads from '../../uploads/store.ts'
import { openAnnounced, openTree } from '../../uploads/tree.ts'

type Parts = Pick<BaseParts, 'db' | 'blobs' | 'config' | 'localFolders'> & { remoteTrees: RemoteTrees }

const DEADLINE_MS = 20_000

/** Tells what a deployment of a source would do. Reads what it must of it, and changes nothing anywhere. */
export async function prepareDeployment(
  parts: Parts,
  caller: Caller,
  body: Prepare,
  gone: AbortSignal,
): Promise<Preparation> {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(DEADLINE_MS)])
  const { tree, warnings } = await open(parts, caller, body, signal)
  // Only a process that is asked pays for all the stacks.
  const { detect } = await import('../../../source/build/detect.ts')
  const { services, ...found } = await detect(tree, { folder: body.rootDirectory, signal })
  return {
    success: true,
    source: body.source,
    ...shown(found),
    warnings: [...warnings, ...found.warnings],
    services: services.map((service) => ({
      ...shown(service),
      name: service.name,
      rootDirectory: service.rootDirectory,
      image: service.image,
    })),
  }
}

const shown = (found: Found) => ({ ...answerOf(found), dockerfile: dockerfileOf(found) })

type Opened = { tree: ReadableTree; warnings: string[] }

async function open(parts: Parts, caller: Caller, body: Prepare, signal: AbortSignal): Promise<Opened> {
  if (body.source === 'githost') return openRemote(parts, caller, body, signal)
  if (parts.config.mode === 'cloud') {
    throw new Refusal('local_source_refused', 'In the cloud, a source is a repository on a git host.', {
      field: 'source',
      hint: 'Send source: githost with owner and repo.',
    })
  }
  if (body.uploadSessionId !== undefined) return openUpload(parts, caller, body.uploadSessionId)
  if (body.path === undefined) throw missing('uploadSessionId', 'a local source needs uploadSessionId or path')
  requireUnrestricted(caller)
  const tree = await parts.localFolders?.open(body.path, signal)
  if (!tree) throw noFolder(parts.localFolders !== null)
  const cut = tree.complete ? [] : ['The folder has more files than an upload may have; only the first were looked at.']
  return { tree, warnings: cut }
}

async function openUpload(parts: Parts, caller: Caller, id: string): Promise<Opened> {
  const session = await uploads.find(parts.db, caller, id)
  if (!session) throw notFound('folder session')
  const tree: SourceTree = session.sealedAt
    ? await openTree(parts, caller.orgId, id)
    : await openAnnounced(parts, caller, requireUnexpired(session).id)
  return { tree, warnings: [] }
}

async function openRemote(parts: Parts, caller: Caller, body: Prepare, signal: AbortSignal): Promise<Opened> {
  requireUnrestricted(caller)
  const { owner, repo, branch } = body
  if (owner === undefined) throw missing('owner', 'a source on a git host needs owner')
  if (repo === undefined) throw missing('repo', 'a source on a git host needs repo')
  requirePermission(caller, 'githost:read')
  const listing = await parts.remoteTrees.open(caller, { owner, repo, branch }, signal)
  return { tree: remoteTree(listing), warnings: listing.warnings }
}

const missing = (field: string, why: string) =>
  new Refusal('invalid_request', `${field}: ${why}`, { field, hint: 'Correct the request and try again.' })

const noFolder = (configured: boolean) =>
  new Refusal(
    'invalid_request',
    configured ? 'There is no such folder.' : 'This instance looks at no folders of its own.',
    {
      field: 'path',
      hint: configured
        ? 'Name a folder below the directory that SLIPWAY_LOCAL_SOURCES allows.'
        : 'Upload the folder and send uploadSessionId, or set SLIPWAY_LOCAL_SOURCES.',
    },
  )
