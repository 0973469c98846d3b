import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../../test-kit/until.ts'
import { type Ground, PATH } from './ground.ts'

/** Longer than any preflight may take: from then on a probe that lies around is nobody's. */
const STRAY_MS = 31_000

/** A process is killed between writing and deleting; the next preflight takes away what it left. */
export async function killed({ site, s3, bad }: Ground): Promise<string[]> {
  const bucket = await s3.make()
  const body = {
    kind: 's3_compatible',
    endpoint: `http://${bad.host}:${bad.stalls}`,
    bucket: bucket.name,
    ...s3.s3.main,
  }
  const { id } = await site.ask('POST', PATH, { name: 'killed', ...body })
  const victim = await site.start({ role: 'api' })
  const asked = site.call('POST', `${PATH}/${id}/preflight`, undefined, victim.url).catch(() => undefined)
  const written = await lies(bucket)
  await victim.stop('SIGKILL')
  await asked
  if (written.length !== 1) return [`${written.length} probes lay there when it was killed`]
  await site.ask('PATCH', `${PATH}/${id}`, { endpoint: s3.s3.endpoint })
  await pause(STRAY_MS)
  const { ok, reason } = await site.ask('POST', `${PATH}/${id}/preflight`)
  const left = await bucket.keys()
  return [...(ok ? [] : [`it does not work: ${reason}`]), ...left.map((key) => `${key} is still there`)]
}

async function lies(bucket: { keys(): Promise<string[]> }): Promise<string[]> {
  const keys = async () => {
    const all = await bucket.keys()
    return all.length > 0 && all
  }
  return until('something lies there', 10_000, keys).catch(() => [])
}
