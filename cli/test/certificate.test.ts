import { afterAll, expect, test } from 'vitest'
import { tool } from '../../lab/tools.ts'
import { authorities, listeners } from '../../test-kit/tls-listeners.ts'
import { slipway } from './run-here.ts'

const made = authorities(tool('openssl'))
const on = listeners()
afterAll(() => {
  on.closeAll()
  made.remove()
})

test('a certificate that nobody vouches for is told apart from a connection that is lost, and is asked once', async () => {
  const { port, connections } = await on.tls(made.selfSigned('localhost'))
  const { code, json } = await slipway(['whoami', '--json'], { env: { SLIPWAY_URL: `https://localhost:${port}` } })
  expect([code, json()]).toMatchObject([
    8,
    { code: 'unreachable', hint: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
  ])
  expect(json().error).toContain(`The certificate of https://localhost:${port} is not trusted: self-signed certificate`)
  expect(connections).toHaveLength(1)
})
