import type { Vps } from '../../../lab/vps/boot.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import { until } from '../../../test-kit/until.ts'
import { page } from '../tls/client.ts'
import type { Authority } from './authority.ts'
import { type Platform, platformOn } from './platform.ts'

/** What the parts of a proof about installations share. */
export type InstallWorld = { authority: Authority; published: string; faults: string[] }

/** A platform at work, which is replaced again and again. */
export type UpgradeWorld = { vps: Vps; platform: Platform; project: string; faults: string[] }

const HOST = 'hello.example.test'

/** A folder at a name of its own, until a visitor gets it over HTTPS with a certificate that is believed. */
export async function deployed(vps: Vps, authority: Authority, token: string): Promise<string> {
  const platform = platformOn(vps, token)
  const project = await platform.project('hello')
  await authority.ca.dns.set(HOST, { a: [vps.address] })
  await platform.ask('POST', `/api/projects/${project}/domains`, { host: HOST })
  const { id, status, error } = await platform.ended(await platform.deploy(project, app(GOOD)))
  if (status !== 'ready') throw new Error(`the folder is ${status}: ${JSON.stringify(error)}`)
  const door = { address: vps.address, port: 443, ca: authority.issuing }
  await until('the folder answers over HTTPS', 120_000, () =>
    page(door, HOST).then(
      ({ status: code, text }) => code === 200 && text === 'version 1',
      () => undefined,
    ),
  )
  return id
}
