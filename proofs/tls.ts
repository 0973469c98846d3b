import { bootstrap } from '../test-kit/built-server.ts'
import { app, GOOD } from '../test-kit/sample-app.ts'
import { until } from '../test-kit/until.ts'
import { visit } from '../test-kit/visit.ts'
import { handshake, page } from './parts/tls/client.ts'
import { anotherEdge, replacedEdge } from './parts/tls/edges.ts'
import { HOST, note, type Proof } from './parts/tls/proof.ts'
import { troubled } from './parts/tls/troubles.ts'
import { openTlsWorld } from './parts/tls/world.ts'

export const claim =
  'A name that is put right has its certificate within 10 s; whatever the CA does, visitors see a good one, and the domain says why.'
export const kind = 'story'
export const quick = true

const WRONG = '198.51.100.9'
const BAR_SECONDS = 10

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const world = await openTlsWorld({ name: 'tls' })
  const faults: string[] = []
  try {
    await world.start()
    await world.site.addLocalServer()
    const project = await world.site.project('shop')
    const { status } = await world.site.ended(await world.site.deploy(project, app(GOOD)))
    if (status !== 'ready') throw new Error(`the application is ${status}`)
    const proof = { world, project, faults }
    await wrongName(proof)
    const seconds = await rightName(proof)
    await served(proof)
    await renewed(proof)
    await pairs(proof)
    const troubles = await troubled(proof)
    const alone = await withoutControlPlane(proof)
    await replacedEdge(proof)
    await othersNames(proof)
    await interrupted(proof)
    await anotherEdge(proof)
    for (const fault of faults) console.log(`  FAULT ${fault}`)
    const ok = faults.length === 0 && seconds <= BAR_SECONDS
    const figure = `${faults.length} faults; certificate ${seconds.toFixed(1)} s after the name led here (bar ${BAR_SECONDS}); ${troubles} troubles of the CA with the old one still shown; ${alone} handshakes and requests without the control plane`
    return { ok, figure }
  } finally {
    await world.close()
  }
}

async function wrongName(proof: Proof): Promise<void> {
  const { world, project } = proof
  await world.ca.dns.set(HOST, { a: [WRONG] })
  await world.site.ask('POST', `/api/projects/${project}/domains`, { host: HOST })
  const seen = await until('the name was looked at', 20_000, async () => {
    const domain = await world.domain(project, HOST)
    return domain?.dns?.found.addresses.includes(WRONG) && domain
  })
  const right =
    seen.certificate?.state === 'pending_dns' && seen.dns?.wanted.join() === world.here && seen.dns.ok === false
  note(proof, right, 'a name that leads elsewhere waits, with found and wanted', seen)
  // Long enough for several looks.
  await new Promise((done) => setTimeout(done, 7000))
  note(proof, world.orders() === 0, 'no order was made for it', world.front.asked)
}

async function rightName(proof: Proof): Promise<number> {
  const { world, project } = proof
  await world.ca.dns.set(HOST, { a: [world.here] })
  const began = performance.now()
  const shown = await until('a certificate is shown', 30_000, () => handshake(world.door, HOST).catch(() => undefined))
  const seconds = (performance.now() - began) / 1000
  note(proof, shown.authorized, `a certificate that is believed, after ${seconds.toFixed(1)} s`, shown)
  const domain = await until('the domain says so', 10_000, async () => {
    const seen = await world.domain(project, HOST)
    return seen?.certificate?.state === 'valid' && seen
  })
  note(proof, domain.certificate?.serial === shown.serial, 'the domain names the serial that is shown', domain)
  note(proof, world.orders() === 1, 'by one order', world.orders())
  return seconds
}

async function served(proof: Proof): Promise<void> {
  const { world } = proof
  const answer = await page(world.door, HOST)
  note(proof, answer.status === 200 && answer.text === 'version 1', 'the application answers over https', answer)
  const plain = { address: world.here, port: world.site.httpPort }
  const sent = await until('http is sent to https', 20_000, async () => {
    const seen = await visit(plain, HOST, '/a?b=c')
    return seen.status === 308 && seen
  })
  note(proof, sent.status === 308, 'plain http is sent to https', sent)
  const stranger = await handshake(world.door, 'stranger.example.test').then(
    () => 'a handshake',
    () => null,
  )
  note(proof, stranger === null, 'a name that is not ours gets no handshake', stranger)
  const { body } = await world.site.call('POST', '/api/deployments/ssl/status', { domain: HOST })
  note(proof, body.state === 'valid' && body.managed && body.dns.pointsHere, 'ssl/status sees it as valid', body)
}

async function renewed(proof: Proof): Promise<void> {
  const { world } = proof
  const before = await handshake(world.door, HOST)
  const first = await world.site.call('POST', '/api/deployments/ssl/renew', { domain: HOST })
  const after = await handshake(world.door, HOST)
  const right = first.status === 200 && after.authorized && after.serial !== before.serial
  note(proof, right, 'renew: another serial with the next handshake', { first: first.text, before, after })
  const validTo = new Date(first.body?.validTo ?? 0).getTime()
  note(proof, Math.abs(validTo - after.validTo.getTime()) < 2000, 'renew answers what is shown', first.text)
  const again = await world.site.call('POST', '/api/deployments/ssl/renew', { domain: HOST })
  note(proof, again.status === 429, 'a second time within the hour is too often', again.text)
  const forced = await world.site.call('POST', '/api/deployments/ssl/renew', { domain: HOST, force: true })
  const last = await handshake(world.door, HOST)
  note(proof, forced.status === 200 && last.serial !== after.serial, 'unless it is forced', forced.text)
}

/** A second name that sends visitors to the first, and one whose browsers remember https. */
async function pairs(proof: Proof): Promise<void> {
  const { world, project } = proof
  const [www, strict] = [`www.${HOST}`, 'strict.example.test']
  for (const host of [www, strict]) await world.ca.dns.set(host, { a: [world.here] })
  const add = (body: object) => world.site.ask('POST', `/api/projects/${project}/domains`, body)
  await add({ host: www, redirectTo: HOST })
  await add({ host: strict, https: 'hsts' })
  for (const host of [www, strict])
    await until(
      `${host} is valid`,
      40_000,
      async () => (await world.domain(project, host))?.certificate?.state === 'valid',
    )
  const sent = await page(world.door, www, '/a?b=c')
  const wanted = `https://${HOST}:${world.door.port}/a?b=c`
  note(proof, sent.status === 308 && sent.headers.location === wanted, 'www is sent to the name without', sent)
  const strictly = await until('hsts', 20_000, async () => {
    const seen = await page(world.door, strict)
    return seen.headers['strict-transport-security'] !== undefined && seen
  })
  note(proof, strictly.status === 200, 'https is remembered where that was asked for', strictly)
}

async function withoutControlPlane(proof: Proof): Promise<number> {
  const { world } = proof
  for (const replica of world.site.replicas) await replica.stop('SIGKILL').catch(() => {})
  let right = 0
  for (let round = 0; round < 50; round++) {
    const { authorized } = await handshake(world.door, HOST)
    const { status } = await page(world.door, HOST)
    if (authorized && status === 200) right++
  }
  note(proof, right === 50, 'without the control plane handshakes and requests go on', right)
  return right
}

async function othersNames(proof: Proof): Promise<void> {
  const { world, project } = proof
  await world.start()
  const { site } = world
  const other = await bootstrap(site.databaseUrl, 'other@example.com')
  const asOther = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${other.token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${site.base()}${path}`, { method, headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as { id: string } }
  }
  const renew = await asOther('POST', '/api/deployments/ssl/renew', { domain: HOST })
  note(proof, renew.status === 404, "another organization's renew finds no such domain", renew)
  const theirs = (await asOther('POST', '/api/projects', { name: 'theirs' })).body.id
  const claimed = await asOther('POST', `/api/projects/${theirs}/domains`, { host: HOST })
  note(proof, claimed.status === 409, 'nor can it claim the name', claimed)
  const before = await handshake(world.door, HOST)
  await site.ask('DELETE', `/api/projects/${project}/domains/${HOST}`)
  const released = await asOther('POST', `/api/projects/${theirs}/domains`, { host: HOST })
  note(proof, released.status === 201, 'released, it can', released)
  const gone = await until('the edge lets go of it', 60_000, async () =>
    handshake(world.door, HOST).then(
      () => false,
      () => true,
    ),
  )
  note(proof, gone, 'its certificate goes with it')
  await asOther('DELETE', `/api/projects/${theirs}/domains/${HOST}`, {})
  await site.ask('POST', `/api/projects/${project}/domains`, { host: HOST })
  const again = await until('it is back', 40_000, () => handshake(world.door, HOST).catch(() => undefined))
  note(
    proof,
    again.serial !== before.serial,
    'and comes back to whoever claims it, with a certificate of its own',
    again,
  )
}

/** Killed while the CA is being asked: another process goes on, and nothing is lost or left lying about. */
async function interrupted(proof: Proof): Promise<void> {
  const { world, project } = proof
  await until('it is valid', 20_000, async () => (await world.domain(project, HOST))?.certificate?.state === 'valid')
  const before = await handshake(world.door, HOST)
  const seen = world.front.asked.length
  const asked = world.site.call('POST', '/api/deployments/ssl/renew', { domain: HOST, force: true }).catch(() => null)
  await until('the CA is asked', 20_000, async () =>
    world.front.asked.slice(seen).some((line) => line.includes('order-plz')),
  )
  await world.site.replicas.at(-1)?.stop('SIGKILL')
  await asked
  await world.start()
  const after = await until('another serial', 60_000, async () => {
    const shown = await handshake(world.door, HOST)
    return shown.serial !== before.serial && shown
  })
  const domain = await until('it is valid again', 20_000, async () => {
    const now = await world.domain(project, HOST)
    return now?.certificate?.state === 'valid' && now
  })
  note(
    proof,
    domain.certificate?.serial === after.serial,
    'killed in the middle of an order, it is finished by the next',
    domain,
  )
}
