import { usage } from '../failure.ts'

/** Where an instance on this machine with the same environment listens: what is asked when nobody said which. */
export function localAddress(env: NodeJS.ProcessEnv): string {
  const host = env.SLIPWAY_HOST || '127.0.0.1'
  const everywhere = host === '0.0.0.0' || host === '::'
  const reached = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${reached}:${env.SLIPWAY_PORT || 4600}`
}

/** An address as somebody types it: `slipway.example.com` is meant with https, this very machine without. */
export function addressOf(typed: string): string {
  const whole = /^[a-z]+:\/\//i.test(typed) ? typed : `${isLocal(typed) ? 'http' : 'https'}://${typed}`
  const url = URL.parse(whole)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw usage(`${typed} is no address of an instance.`, 'It looks like https://slipway.example.com.')
  if (url.username || url.password)
    throw usage(
      'An address has no user and no password in it.',
      'The access token goes by --token-stdin, SLIPWAY_TOKEN or --token-file.',
    )
  return url.origin
}

const isLocal = (typed: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(typed)

/** Whether whoever is on the line could read what is sent. */
export const isInClear = (address: string): boolean =>
  address.startsWith('http://') && !isLocal(address.slice('http://'.length))
