import { type Client, column, count } from './client.ts'

const PUSHES = 600
const REPOSITORIES = 20

/** Every switch is seen to do what it says, and to stop. */
export async function faultCases(client: Client): Promise<void> {
  const { lab } = client
  lab.do.user({ login: 'ada' })
  lab.do.user({ login: 'bob' })
  lab.do.org({ login: 'acme', members: { ada: 'admin' } })
  const ada = lab.do.token({ login: 'ada' }).token
  await answerFaults(client, ada)
  await limitFaults(client, ada)
  await deliveryFaults(client, ada)
}

async function answerFaults({ lab, call, status, is }: Client, ada: string): Promise<void> {
  lab.do.faults({ latencyMs: 300, only: '^/user$' })
  const began = performance.now()
  await status('slow, but answered', 200, call('GET', '/user', ada))
  is('not before its time', performance.now() - began >= 299, true)
  lab.do.clearFaults()
  lab.do.seed({ seed: 7 })
  lab.do.faults({ errorShare: 0.5, errorStatus: 503 })
  const statuses: number[] = []
  for (let round = 0; round < 40; round += 1) statuses.push((await call('GET', '/user', ada)).status)
  const failed = statuses.filter((one) => one === 503).length
  is('about half of them fail', failed > 8 && failed < 32 && statuses.every((one) => one === 503 || one === 200), true)
  lab.do.faults({ errorShare: 1, errorStatus: 502, only: '^/orgs/' })
  is(
    'only where told',
    [(await call('GET', '/orgs/acme', ada)).status, (await call('GET', '/user', ada)).status],
    [502, 200],
  )
  lab.do.faults({ outage: true })
  const cut = await call('GET', '/user', ada).then(
    () => 'answered',
    () => 'cut',
  )
  is('an outage cuts', cut, 'cut')
  lab.do.clearFaults()
  await status('and ends', 200, call('GET', '/user', ada))
}

async function limitFaults({ lab, call, status, is }: Client, ada: string): Promise<void> {
  lab.do.faults({ secondaryNext: 2, retryAfterSeconds: 7 })
  const refused = await status('secondary limit', 403, call('GET', '/user', ada))
  is('says when to come again', refused.header('retry-after'), '7')
  await status('twice, as told', 403, call('GET', '/user', ada))
  await status('then no more', 200, call('GET', '/user', ada))
  lab.do.limits({ primary: 3 })
  const bob = lab.do.token({ login: 'bob' }).token
  for (let round = 0; round < 3; round += 1) await call('GET', '/user', bob)
  const spent = await status('primary limit', 403, call('GET', '/user', bob))
  is('nothing is left until', [spent.header('x-ratelimit-remaining'), spent.header('retry-after')], ['0', ''])
  is('a time that is told', Number(spent.header('x-ratelimit-reset')) > Date.now() / 1000, true)
  await status('asking for the limit is free', 200, call('GET', '/rate_limit', bob))
  lab.do.limits({ primary: 5000 })
  const anonymous = await call('GET', '/meta')
  is('less without a credential', anonymous.header('x-ratelimit-limit'), '60')
  const made: number[] = []
  for (let round = 0; round < 81; round += 1) {
    // A name that is none: it counts as an attempt to write, and nothing is made.
    made.push((await call('POST', '/user/repos', ada, { name: '$' })).status)
  }
  is('80 writes a minute', [made[0], made.at(-1)], [422, 403])
  lab.do.limits({ secondary: false })
  await status('switched off', 422, call('POST', '/user/repos', ada, { name: '$' }))
}

/** A burst with everything that may become of deliveries. */
async function deliveryFaults({ lab, call, is, receive }: Client, ada: string): Promise<void> {
  lab.do.limits({ primary: null, secondary: false })
  const wire = await receive(['s'])
  const listening = { webhookSecret: 's', hookUrl: wire.url, events: ['push'] }
  const app = lab.do.app({ owner: 'acme', name: 'Platform', ...listening })
  const names = Array.from({ length: REPOSITORIES }, (_, number) => `acme/r${number}`)
  for (const full of names) await lab.do.repo({ full, private: true, autoInit: true })
  lab.do.install({ slug: app.slug, login: 'acme' })
  await lab.do.delivered()
  wire.got.length = 0
  lab.do.seed({ seed: 7 })
  lab.do.faults({ deliveries: { lose: 0.1, duplicate: 0.1, reorder: 0.1, badSignature: 0.05, delayMs: 500 } })
  const heads = new Map<string, string>()
  const order: string[] = []
  for (let number = 0; number < PUSHES; number += 1) {
    const full = names[number % REPOSITORIES] ?? ''
    const { after } = await lab.do.push({ full, content: `${number}\n` })
    heads.set(full, after)
    order.push(after)
  }
  await lab.do.delivered({ deadlineMs: 60_000 })
  const { lost, duplicated, reordered, badlySigned, sent } = lab.do.deliveries()
  const near = (got: number, share: number) => Math.abs(got / PUSHES - share) < 0.04
  is('lost', near(lost, 0.1) && sent === PUSHES - lost + duplicated && wire.got.length === sent, true)
  is('doubled, with the same id', wire.got.length - new Set(wire.got.map(({ id }) => id)).size, duplicated)
  is('badly signed', wire.got.filter(({ isGood }) => !isGood).length >= badlySigned && badlySigned > 0, true)
  const places = wire.got.map(({ payload }) => order.indexOf(String(payload.after)))
  const overtaken = places.filter((place, index) => place < Math.max(-1, ...places.slice(0, index))).length
  is('overtaken', near(reordered, 0.1) && overtaken > 0, true)
  const asked = await Promise.all(
    names.map(
      async (full) => (await call('GET', `/repos/${full}/branches`, ada)).body as { commit: { sha: string } }[],
    ),
  )
  is(
    'the API knows every head',
    asked.map(([main]) => main?.commit.sha),
    names.map((full) => heads.get(full)),
  )
  lab.do.clearFaults()
  lab.do.faults({ deliveries: { fail: 1 } })
  const before = wire.got.length
  await lab.do.push({ full: 'acme/r0' })
  await lab.do.delivered()
  is('failed: not received', wire.got.length, before)
  lab.do.clearFaults()
  const hook = { config: { url: wire.url, content_type: 'json', secret: 's' }, events: ['push'] }
  lab.do.faults({ deliveries: { fail: 1 } })
  const made = (await call('POST', '/repos/acme/r1/hooks', ada, hook)).body as { id: number }
  await lab.do.delivered()
  lab.do.clearFaults()
  const log = `/repos/acme/r1/hooks/${made.id}/deliveries`
  const failed = (await call('GET', `${log}?status=failure`, ada)).body
  is('but in the log', [count(failed), column(failed, 'status_code')], [1, [502]])
  await call('POST', `${log}/${column(failed, 'id')[0]}/attempts`, ada)
  await lab.do.delivered()
  is('and to be had again', wire.got.at(-1)?.event, 'ping')
  lab.do.faults({ outage: true })
  const waiting = wire.got.length
  await lab.do.push({ full: 'acme/r2' })
  is('an outage holds deliveries back', wire.got.length, waiting)
  lab.do.clearFaults()
  await lab.do.delivered()
  is('until it ends', wire.got.length > waiting, true)
  wire.close()
}
