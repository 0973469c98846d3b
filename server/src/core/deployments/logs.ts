import type { LogLine } from '@slipway/contract/deployments'
import type { Page } from '@slipway/contract/pages'
import type { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import { startOf, toPage } from '../page.ts'
import type { Platform } from '../platform.ts'
import { engineOf } from '../servers/engine-of.ts'
import * as servers from '../servers/store.ts'
import { readLines } from './events-store.ts'
import { requireDeployment } from './find.ts'

type Line = z.output<typeof LogLine>
type Query = { limit: number; cursor?: string | undefined; kind: 'build' | 'runtime'; service?: string | undefined }
type Parts = Pick<Platform, 'db' | 'runtime' | 'keys'>

/** What was printed: while building from the events, while running from the engine itself. */
export async function readLogs(
  parts: Parts,
  caller: Caller,
  id: string,
  query: Query,
  signal: AbortSignal,
): Promise<Page<Line>> {
  const deployment = await requireDeployment(parts.db, caller, id)
  if (query.kind === 'build') {
    const since = query.cursor === undefined ? 0 : Number(startOf(query))
    const rows = await readLines(
      parts.db,
      id,
      Number.isSafeInteger(since) ? since : 0,
      query.limit + 1,
      query.service ?? null,
    )
    return toPage(
      rows,
      query,
      (row) => String(row.seq),
      ({ seq, at, data }): Line => ({
        seq,
        ts: at.toISOString(),
        stream: data.stream === 'stderr' ? 'stderr' : 'stdout',
        step: typeof data.step === 'string' ? data.step : null,
        service: typeof data.service === 'string' ? data.service : null,
        line: String(data.line ?? ''),
      }),
    )
  }
  const engine = engineOf(parts, await servers.load(parts.db, deployment.orgId, deployment.serverId))
  const service = query.service ?? deployment.services[0]?.name ?? 'web'
  const lines: Line[] = []
  const options = { follow: false, tail: query.limit, signal }
  for await (const { at, stream, line } of parts.runtime.logs(
    engine,
    { project: deployment.projectId, service },
    options,
  )) {
    lines.push({ seq: null, ts: new Date(at).toISOString(), stream, step: null, service, line })
  }
  return { data: lines, nextCursor: null }
}
