import { ok } from '../../../lab/githost/answer.ts'
import { routes } from '../../../lab/githost/rest/routes.ts'
import { route } from '../../../lab/githost/route.ts'
import { type Client, type Json, openClient, type Tally } from './client.ts'

/** The positive control: answers and deliveries that are wrong on purpose, all of which must be found. */
export async function plantedCases(): Promise<{ planted: number; found: number }> {
  const outcomes: boolean[] = []
  const attempt = async (line: string, answer: (right: Json) => unknown, status = 200) => {
    const tally: Tally = { passed: 0, failed: [], faults: [] }
    const client = await openClient(tally)
    try {
      const right = await askOnce(client)
      if (tally.faults.length > 0) throw new Error(`the right answer was taken for a wrong one: ${tally.faults[0]}`)
      routes.unshift(route(line, () => ok(answer(right), status)))
      await askOnce(client)
      outcomes.push(tally.faults.length > 0)
    } finally {
      const index = routes.findIndex((one) => `${one.method} ${one.path}` === line)
      routes.splice(index, 1)
      await client.lab.stop()
    }
  }
  const line = 'GET /users/:username'
  await attempt(line, ({ login: _, ...rest }) => rest)
  await attempt(line, (right) => ({ ...right, id: 'seven' }))
  await attempt(line, (right) => ({ ...right, created_at: 'yesterday' }))
  await attempt(line, (right) => [right])
  await attempt(line, (right) => right, 418)
  outcomes.push(await isDeliveryFound())
  return { planted: outcomes.length, found: outcomes.filter(Boolean).length }
}

async function askOnce({ lab, call }: Client): Promise<Json> {
  lab.do.user({ login: 'ada' })
  return (await call('GET', '/users/ada')).body as Json
}

/** A push that says its commit by a number. */
async function isDeliveryFound(): Promise<boolean> {
  const tally: Tally = { passed: 0, failed: [], faults: [] }
  const { lab, receive, call } = await openClient(tally)
  const wire = await receive([])
  try {
    lab.do.user({ login: 'ada' })
    await lab.do.repo({ full: 'ada/x', autoInit: true })
    const { token } = lab.do.token({ login: 'ada' })
    await call('POST', '/repos/ada/x/hooks', token, {
      config: { url: wire.url, content_type: 'json' },
      events: ['push'],
    })
    await lab.do.push({ full: 'ada/x' })
    await lab.do.delivered()
    if (tally.faults.length > 0) throw new Error(`the right delivery was taken for a wrong one: ${tally.faults[0]}`)
    const payload = { ...wire.got.at(-1)?.payload, after: 5 }
    const headers = { 'x-github-event': 'push', 'content-type': 'application/json' }
    await fetch(wire.url, { method: 'POST', headers, body: JSON.stringify(payload) })
    return tally.faults.length > 0
  } finally {
    wire.close()
    await lab.stop()
  }
}
