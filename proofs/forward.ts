import { loadavg } from 'node:os'
import { withoutCloud } from './parts/forward/away.ts'
import { compareRoutes } from './parts/forward/equal.ts'
import { deployThere, know, openGround } from './parts/forward/ground.ts'
import { followTogether } from './parts/forward/many.ts'
import { speeds } from './parts/forward/speed.ts'
import { followBuild } from './parts/forward/stream.ts'
import { startLoad } from './parts/load.ts'

export const claim =
  'A deployment in the cloud is the same seen from here: bytes, streams and refusals; and a cloud that is not well harms nothing that is here.'
export const kind = 'story'
export const quick = false

const MOST_ADDED_MS = 5
const LEAST_THROUGHPUT = 0.7
const BROKEN = 'FROM busybox:1\nRUN exit 3\n'
const WEB = 'FROM busybox:1\nEXPOSE 8080\nCMD ["httpd", "-f", "-p", "8080", "-h", "/etc"]\n'

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const ground = await openGround()
  const load = startLoad()
  try {
    const { cloud } = ground
    const [ready, failed, twin] = [
      await deployThere(ground, 'web', WEB),
      await deployThere(ground, 'broken', BROKEN),
      await deployThere(ground, 'broken too', BROKEN),
    ]
    await cloud.until(ready, ({ status }) => status === 'ready')
    for (const id of [failed, twin]) await cloud.until(id, ({ status }) => status === 'failed')
    for (const id of [ready, failed]) await know(ground, id)
    const equal = await compareRoutes(ground, { ready, failed, twin })
    tell(`${equal.compared} answers compared, ${equal.changed} calls that change something went through`, equal.faults)
    const stream = await followBuild(ground)
    tell(stream.said, stream.faults)
    const speed = await speeds(ground, load, ready)
    const many = await followTogether(ground, load)
    tell(many.said, many.faults)
    const away = await withoutCloud(ground, load, ready)
    tell(away.said, away.faults)
    const faults = [...equal.faults, ...stream.faults, ...many.faults, ...away.faults]
    return {
      ok: faults.length === 0 && speed.added < MOST_ADDED_MS && speed.throughput >= LEAST_THROUGHPUT,
      figure: [
        `${equal.routes} routes of the table through the hop and directly, ${equal.compared} answers compared (${equal.exempt} routes not byte by byte), ${equal.changed} changes done there`,
        stream.said,
        many.said,
        `the hop adds ${speed.added.toFixed(1)} ms at p50 (bar ${MOST_ADDED_MS}), throughput ${speed.throughput.toFixed(2)} of direct (bar ${LEAST_THROUGHPUT}; a hop that asks nobody: ${speed.bare.toFixed(2)})`,
        away.said,
        `${faults.length} faults; load average ${loadavg()[0]?.toFixed(1)}`,
      ].join('; '),
    }
  } finally {
    load.stop()
    await ground.close()
  }
}

function tell(said: string, faults: string[]): void {
  console.log(`  ${said}`)
  for (const fault of faults) console.log(`  FAULT ${fault}`)
}
