import { expect, test } from 'vitest'
import { mayConnect } from '../../../src/core/networks/may-connect.ts'
import { guardedFetch } from '../../../src/drivers/githost/transport.ts'
import { connectedLogin, startGithostWorld } from './stage.ts'

test('a host at an address of the machine or of a cloud’s metadata is not connected to, in any mode', async () => {
  const guards = (['cloud', 'self_hosted'] as const).map((mode) => mayConnect({ mode, allowedNetworks: [] }))
  const ask = async (host: string, guard: (address: string) => boolean) => {
    const { origin } = new URL(`https://${host}`)
    return guardedFetch({ origins: [origin], caFile: null, mayConnect: guard })(origin)
  }
  for (const host of ['169.254.169.254', '127.0.0.1', '[fd00:ec2::254]', '[::ffff:169.254.169.254]', '100.100.100.200'])
    for (const guard of guards) await expect(ask(host, guard), host).rejects.toThrow(/may not be used/)
  await expect(ask('10.0.0.1', guards[0] ?? (() => true))).rejects.toThrow(/may not be used/)
})

test('in cloud mode a private address of the host is refused, and nothing is asked of it', async () => {
  const { host, world } = await startGithostWorld(undefined, { mode: 'cloud', allowedNetworks: [] })
  const org = await world.org()
  await connectedLogin(world, host, org)
  host.do.requests()
  const answer = await org.owner.api('GET', '/api/githost/repos/acme/shop')
  expect([answer.status, answer.body.code]).toEqual([502, 'githost_unreachable'])
  expect(answer.text).not.toContain('ADDRESS')
  expect(host.do.requests()).toEqual([])
})
