import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { connectEngine } from './connect.ts'

test('a request to a local engine costs no more for the others that are open', async () => {
  const { signal } = new AbortController()
  const { socket: socketPath } = labPart('engine')
  const connection = await connectEngine({ kind: 'local', socketPath }, { signal, deadlineMs: 10_000 })
  try {
    await Promise.all(Array.from({ length: 20 }, () => connection.docker.ping()))
    // What docker-modem does with the agent of each request.
    const { agent } = connection.docker.modem as unknown as { agent: object }
    expect(inspect(agent, { showHidden: true, depth: null }).length).toBeLessThan(100)
  } finally {
    connection.close()
  }
})
