import { expect, test } from 'vitest'
import { DriverFailure } from '../../../errors.ts'
import { overLostLines, patiently } from './lost-lines.ts'

const lost = () => new DriverFailure('ssh', 'connection_lost', 'The connection was lost.', { hint: 'Try again.' })

function heard() {
  const lines: unknown[] = []
  return { lines, events: { write: (_: string, data: object) => void lines.push(data) } as never }
}
const options = (more: object = {}) => ({
  step: 'build',
  service: 'web',
  deadlineMs: 60_000,
  signal: new AbortController().signal,
  ...more,
})

test('a build whose line was lost is begun again, with what is left of its time, and says so', async () => {
  const { lines, events } = heard()
  const left: number[] = []
  const built = await overLostLines({ events }, options({ reached: true }), async (leftMs) => {
    left.push(leftMs)
    if (left.length === 1) throw lost()
    return 'image'
  })
  expect(built).toBe('image')
  expect(left[1]).toBeLessThan((left[0] as number) - 900)
  expect(lines).toMatchObject([{ service: 'web', step: 'build', stream: 'stderr' }])
})

test('a line that broke is no server that cannot be reached, even before anything has begun', async () => {
  const { events } = heard()
  let tries = 0
  const claimed = await overLostLines({ events }, options(), async () => {
    tries += 1
    if (tries === 1) throw lost()
    return 'server'
  })
  expect(claimed).toBe('server')
})

test('what the engine has answered before is asked again when it does not answer once', async () => {
  const { lines, events } = heard()
  let tries = 0
  const routed = await patiently({ events }, 'route')(new AbortController().signal, async () => {
    tries += 1
    if (tries === 1) throw new DriverFailure('edge', 'edge_timeout', 'The edge was not ready.', { hint: 'Wait.' })
    return 'routed'
  })
  expect(routed).toBe('routed')
  expect(lines).toMatchObject([{ service: null, step: 'route' }])
})

const unreachable = () => new DriverFailure('ssh', 'unreachable', 'Nothing listens there.', { hint: 'Look.' })

test.each([
  ['reaches no server', options(), unreachable()],
  ['has no time left', options({ reached: true, deadlineMs: 500 }), lost()],
  ['failed by itself', options({ reached: true }), new Error('exit code 1')],
  [
    'was refused',
    options({ reached: true }),
    new DriverFailure('ssh', 'auth_failed', 'The key was not accepted.', { hint: 'Check it.' }),
  ],
])('what %s is not begun again', async (_, asked, error) => {
  const { lines, events } = heard()
  const building = overLostLines({ events }, asked, () => Promise.reject(error))
  await expect(building).rejects.toBe(error)
  expect(lines).toEqual([])
})

test('a cancel ends the pause before the next try', async () => {
  const stop = new AbortController()
  const { events } = heard()
  const building = overLostLines({ events }, options({ signal: stop.signal, reached: true }), async () => {
    stop.abort(new Error('cancelled'))
    throw lost()
  })
  await expect(building).rejects.toThrow(/abort/i)
})
