import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test-kit/until.ts'
import { labPart } from '../ask.ts'
import { type Child, freePorts, startChild } from '../ca/child.ts'
import { lastLines, run } from '../run.ts'
import { tool } from '../tools.ts'
import { type Account, serveTokens, type TokenServer } from './tokens.ts'

export interface PrivateRegistry {
  /** As the engines of the lab name it. */
  address: string
  tokens: TokenServer
  /** Who may sign in; changing it changes who may from then on. */
  accounts: Account[]
  log(): string
  stop(): Promise<void>
}

/**
 * A registry of the caller's own that wants to know who comes, with tokens that live for so many seconds. At the gateway, where
 * every machine of the lab reaches it; their engines take it without TLS. It ends with the process that asked for it.
 */
export async function startPrivateRegistry(accounts: Account[], seconds = 60): Promise<PrivateRegistry> {
  const address = labPart('registry').address.split(':')[0] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'slipway-registry-'))
  mkdirSync(join(folder, 'data'))
  const { key, cert } = await signingKey(folder)
  const [port = 0, tokenPort = 0] = await freePorts(2)
  const service = 'lab-private'
  const asked = { address, port: tokenPort, service, key, cert, seconds }
  const tokens = await serveTokens(() => accounts, asked)
  const realm = `http://${address}:${tokenPort}/token`
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(settings(folder, `${address}:${port}`, { realm, service })))
  const child = startChild([tool('docker-registry'), 'serve', join(folder, 'config.yml')], {})
  const stop = async () => {
    await Promise.all([child.stop(), tokens.close()])
    rmSync(folder, { recursive: true, force: true })
  }
  await until('the private registry: waiting for it to answer', 20_000, () => ready(child, `${address}:${port}`)).catch(
    async (error) => {
      await stop()
      throw error
    },
  )
  return { address: `${address}:${port}`, tokens, accounts, log: child.printed, stop }
}

/** JSON is YAML. */
const settings = (folder: string, address: string, { realm, service }: { realm: string; service: string }) => ({
  version: '0.1',
  log: { accesslog: { disabled: false } },
  storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
  http: { addr: address },
  auth: { token: { realm, service, issuer: service, rootcertbundle: join(folder, 'signing.pem') } },
})

async function signingKey(folder: string): Promise<{ key: string; cert: string }> {
  const [cert, key] = [join(folder, 'signing.pem'), join(folder, 'signing.key')]
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run([tool('openssl'), ...made, '-subj', '/CN=lab tokens', '-days', '2', '-keyout', key, '-out', cert])
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

async function ready(child: Child, address: string): Promise<true | undefined> {
  if (child.process.exitCode !== null) throw new Error(`the registry did not start:\n${lastLines(child.printed(), 8)}`)
  const answer = await fetch(`http://${address}/v2/`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  return answer?.status === 401 ? true : undefined
}
