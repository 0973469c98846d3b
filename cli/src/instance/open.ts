import { createClient, type Fetch } from '@slipway/contract/client'
import type { Call } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'
import { VERSION } from '../version.ts'
import { isOlder } from './compare-versions.ts'
import type { Instance, Target } from './instance.ts'
import { targetOf } from './target.ts'
import { refusalIn, transport } from './transport.ts'

const USER_AGENT = `slipway/${VERSION} (${process.platform}; node ${process.versions.node})`

/** The API of the instance that is meant. Without a token only what is public can be asked. */
export async function openInstance(call: Pick<Call, 'env' | 'flags' | 'signal'>): Promise<Instance> {
  return connect(targetOf(call), call.signal)
}

export function connect(target: Target, signal: AbortSignal, tries?: number): Instance {
  const { url, token } = target
  let version: string | null = null
  const onVersion = (seen: string) => {
    version = seen
  }
  const send = transport({ url, userAgent: USER_AGENT, signal, onVersion, ...(tries && { tries }) })
  const api = createClient({ url, ...(token !== null && { token }), fetch: explained(send, url, () => version) })
  const headers = { 'user-agent': USER_AGENT, ...(token !== null && { authorization: `Bearer ${token}` }) }
  const uploads = async (connections: number) =>
    (await import('./uploads.ts')).openUploads({ url, headers, connections })
  return { ...target, api, fetch: send, uploads, version: () => version }
}

/** A path that an older server does not have reads as "not there", which would be taken for something of the user's. */
function explained(send: Fetch, url: string, version: () => string | null): Fetch {
  return async (target, init) => {
    const answer = await send(target, init)
    if (answer.status !== 404) return answer
    const body = await refusalIn(answer)
    if (body?.code === 'route_not_found') throw tooOld(url, version())
    // Something else answers there, or a proxy without the instance behind it.
    if (body === null) throw notAnInstance(url)
    return answer
  }
}

const notAnInstance = (url: string) =>
  new Failure(EXIT.unreachable, 'not_an_instance', `What answers at ${url} is not Slipway.`, 'Is the address right?')

function tooOld(url: string, version: string | null): Failure {
  const is = version === null ? 'This instance' : `This instance (${version})`
  const hint =
    version !== null && isOlder(version, VERSION)
      ? `This command line is ${VERSION}. Upgrade the instance: slipway setup upgrade, on its machine.`
      : `Is ${url} the address of the instance?`
  return new Failure(EXIT.refused, 'route_not_found', `${is} cannot do that.`, hint)
}
