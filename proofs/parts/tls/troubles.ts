import { say } from '../../../test-kit/acme.ts'
import { handshake } from './client.ts'
import { HOST, note, type Proof } from './proof.ts'
import type { TlsWorld } from './world.ts'

const PROBLEM = 'urn:ietf:params:acme:error:'
const TROUBLES: [string, (words: string) => Parameters<TlsWorld['front']['play']>[0], RegExp][] = [
  [
    'fails',
    () =>
      ({ url }, answer) =>
        url === '/order-plz' && say(answer, 500, { type: `${PROBLEM}serverInternal`, detail: 'the lights are out' }),
    /lights are out/,
  ],
  [
    'limits',
    () =>
      ({ url }, answer) =>
        url === '/order-plz' &&
        say(answer, 429, { type: `${PROBLEM}rateLimited`, detail: 'too many new orders' }, { 'retry-after': '7200' }),
    /too many new orders/,
  ],
  [
    'talks nonsense',
    () => (_, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' }).end('<html>teapot</html>')
      return true
    },
    /./,
  ],
  [
    'is silent',
    () => (_, answer) => {
      answer.destroy()
      return true
    },
    /./,
  ],
]

/** A CA that does not work as it should: the old certificate stays, and the domain says why and when it goes on. */
export async function troubled(proof: Proof): Promise<number> {
  const { world, project } = proof
  let right = 0
  for (const [what, mischief, words] of TROUBLES) {
    const before = await handshake(world.door, HOST)
    world.front.play(mischief(what))
    const answer = await world.site.call('POST', '/api/deployments/ssl/renew', { domain: HOST, force: true })
    world.front.play(undefined)
    const after = await handshake(world.door, HOST)
    const domain = await world.domain(project, HOST)
    const { state, reason, nextTryAt } = domain?.certificate ?? {}
    const told = state === 'failing' && words.test(reason ?? '') && new Date(nextTryAt ?? 0).getTime() > Date.now()
    const good = answer.status === 502 && words.test(answer.body.error) && after.serial === before.serial && told
    note(proof, good, `a CA that ${what}: 502 with its reason, the old certificate, the next try`, { answer, domain })
    const limited = what === 'limits' && new Date(nextTryAt ?? 0).getTime() - Date.now() > 7_000_000
    if (what === 'limits') note(proof, limited, 'the CA that limits is not asked before it said', domain)
    if (good) right++
  }
  const mended = await world.site.call('POST', '/api/deployments/ssl/renew', { domain: HOST, force: true })
  const state = (await world.domain(project, HOST))?.certificate?.state
  note(proof, mended.status === 200 && state === 'valid', 'and all is well when the CA is', { mended, state })
  return right
}
