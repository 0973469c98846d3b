import { describe, expect, test } from 'vitest'
import { acmeFailure } from '../../src/drivers/acme/acme.ts'
import { type EdgeFailureCode, edgeFailure } from '../../src/drivers/edge/edge.ts'
import { startStandIn } from './stand-in.ts'

// What one run asks of the CA and of the edges, and what is left of it when they fail.
const { ca, stage, names, world, org, until, named, valid, row, set } = await startStandIn()
const { pool } = world.platform
const failing =
  (code: Parameters<typeof acmeFailure>[0], message = 'No.') =>
  async () => {
    throw acmeFailure(code, message)
  }
const fails = (code: EdgeFailureCode) => edgeFailure(code, `It said ${code}.`)
const renewed = async (project: string) => {
  const { serial } = await row(project)
  await set(project, 'renew_at = now(), next_try_at = null')
  await until(project, 'valid')
  await expect.poll(async () => (await row(project)).serial).not.toBe(serial)
  await until(project, 'valid')
}

describe('an order', () => {
  test('is counted before it is placed, as a renewal or not, and says what it replaces', async () => {
    const counted: unknown[] = []
    ca.issuing = async ({ hosts: [host] }) => {
      const { rows } = await pool.query('select org_id, renewal from acme_order where host = $1 order by at', [host])
      counted.push(rows)
    }
    const project = await valid('counted.example.com')
    await renewed(project)
    const first = { org_id: org.id, renewal: false }
    expect(counted).toEqual([[first], [first, { org_id: org.id, renewal: true }]])
    expect(ca.orders.map(({ replaces, deadlineMs }) => [replaces, deadlineMs])).toEqual([
      [undefined, 100_000],
      ['chain', 100_000],
    ])
  })

  test('that failed waits longer each time, and after a success as long as at first', async () => {
    const project = await valid('patience.example.com')
    const waited = async () => {
      await set(project, 'renew_at = now(), next_try_at = null, problem = null')
      await until(project, 'failing')
      return (await row(project)).next_try_at.getTime() - Date.now()
    }
    ca.issuing = failing('order_rejected')
    const [first, second] = [await waited(), await waited()]
    expect(second / first).toBeGreaterThan(1.5)
    ca.issuing = async () => {}
    await renewed(project)
    ca.issuing = failing('order_rejected')
    expect((await waited()) / first).toBeLessThan(1.5)
  })

  test('that succeeded ends what the CA had asked to wait for', async () => {
    const project = await valid('free.example.com')
    await set(project, "renew_at = now(), limited_until = now() - interval '1 minute'")
    await renewed(project)
    expect((await row(project)).limited_until).toBeNull()
  })

  test('that fails in a way nobody foresaw shows nothing of it', async () => {
    ca.issuing = async () => {
      throw Object.assign(new Error('insert into secrets failed'), { code: '23505' })
    }
    const project = await named('internal.example.com')
    const { certificate } = await until(project, 'failing')
    expect(certificate.reason).toBe('Something unexpected stopped it.')
  })

  test('that the CA refuses with words no database keeps is told all the same', async () => {
    ca.issuing = failing('ca_failed', 'The CA says: a\0b\ud800.')
    const { certificate } = await until(await named('nul.example.com'), 'failing')
    expect(certificate.reason).toBe('The CA says: a b\ufffd.')
    expect(ca.orders).toHaveLength(1)
  })

  test('of a wildcard says what is missing where no zone may be changed', async () => {
    names.zone['_slipway.wild.example.com'] = { TXT: [org.id] }
    names.zone['slipway-probe.wild.example.com'] = { A: ['192.0.2.10'] }
    const project = await stage.named(org, '*.wild.example.com')
    const { certificate } = await until(project, 'failing')
    expect(certificate.reason).toContain('only to those who may change its zone')
    expect(ca.orders).toEqual([])
  })
})

describe('the account at the CA', () => {
  test('is asked for once', async () => {
    await pool.query('delete from acme_account')
    for (const host of ['one.example.com', 'two.example.com']) await valid(host)
    expect(ca.accounts).toHaveLength(1)
  })

  test('is made again with the same key when the CA has lost it', async () => {
    await pool.query('delete from acme_account')
    let lost = true
    ca.issuing = async () => {
      if (lost) throw acmeFailure('account_refused', 'No such account.')
    }
    const key = 'key 0'
    const project = await named('lost.example.com')
    await until(project, 'failing')
    expect(ca.accounts).toEqual([key, key])
    ca.issuing = async ({ account }) => {
      expect(account.keyPem).toBe(key)
      if (!lost) return
      lost = false
      throw acmeFailure('account_refused', 'No such account.')
    }
    await set(project, 'next_try_at = null')
    await until(project, 'valid')
    expect(ca.accounts).toEqual([key, key, key])
  })
})

describe('the edges', () => {
  test('get the chain with its key, each time under another name', async () => {
    const ids: string[] = []
    stage.edge.before = async (_, { id }) => void ids.push(id)
    const project = await valid('laid.example.com')
    await renewed(project)
    expect(stage.installed.get('laid.example.com')).toEqual(['chain\nprivate', 'chain\nprivate'])
    expect(new Set(ids).size).toBe(2)
  })

  test('that did not get a renewed one get it later, without another order', async () => {
    const project = await valid('later.example.com')
    stage.edge.before = async () => Promise.reject(fails('edge_timeout'))
    await set(project, 'renew_at = now()')
    await until(project, 'failing')
    stage.edge.before = async () => {}
    await set(project, 'next_try_at = null')
    await until(project, 'valid')
    await expect.poll(() => stage.installed.get('later.example.com')).toHaveLength(2)
    expect(ca.orders).toHaveLength(2)
  })

  test('lead to https anew with the first certificate, and not with the next', async () => {
    const reroutes = async (project: string) =>
      (await pool.query("select 1 from run where lane = $1 and kind = 'reroute'", [project])).rowCount ?? 0
    const project = await named('reroute.example.com')
    const before = await reroutes(project)
    await until(project, 'valid')
    expect(await reroutes(project)).toBe(before + 1)
    await renewed(project)
    expect(await reroutes(project)).toBe(before + 1)
  })
})

describe('of two servers, one where visitors come and one where the project is to go', () => {
  const onTwo = async (host: string) => {
    const project = await named(host)
    const made = await org.owner.api('POST', '/api/servers', { kind: 'ssh', name: host, host: '192.0.2.10' })
    await pool.query('update project set server_id = $1 where id = $2', [made.body.id, project])
    return project
  }
  const answering = async () => {
    ca.issuing = async ({ challenge }) => {
      if (challenge.kind === 'http-01') await challenge.put('token', 'answer')
    }
  }

  test.each([
    ['edge_missing', 'valid'],
    ['edge_timeout', 'failing'],
  ] as const)('the second says %s to the answer for the CA: %s', async (code, state) => {
    await answering()
    stage.edge.challenges.put = async ({ kind }) => {
      if (kind === 'ssh') throw fails(code)
    }
    await until(await onTwo(`${code.replace('_', '-')}.answer.example.com`), state)
  })

  test('where no edge is there at all, the CA is not answered', async () => {
    await answering()
    stage.edge.challenges.put = async () => Promise.reject(fails('edge_missing'))
    const { certificate } = await until(await onTwo('none.answer.example.com'), 'failing')
    expect(certificate.reason).toBe('It said edge_missing.')
  })

  test.each([
    ['edge_missing', 'valid'],
    ['edge_timeout', 'failing'],
  ] as const)('the second says %s to the certificate: %s', async (code, state) => {
    stage.edge.before = async (_, { engine }) => {
      if (engine.kind === 'ssh') throw fails(code)
    }
    await until(await onTwo(`${code.replace('_', '-')}.laid.example.com`), state)
  })
})
