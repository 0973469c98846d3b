import { labPart } from '../../../lab/ask.ts'
import { type Case, wordsOf } from './case.ts'

/** Servers that cannot be used. The engine itself is never stopped: others are on it. */
export const serverCases: Case[] = [
  {
    name: 'server: nothing listens there',
    async run(bench, slug) {
      const { address } = labPart('host2')
      const body = { kind: 'ssh', name: slug, host: address, port: 9, hostKey: KEY }
      const server = await bench.site.ask('POST', '/api/servers', body)
      const projectId = await bench.project(slug, { serverId: server.id })
      const seen = await bench.deploy(projectId, {})
      return wordsOf(bench, seen, {
        code: 'server_unreachable',
        step: 'build',
        message: new RegExp(`^The server ${slug} cannot be used\\. Nothing accepts connections`),
        hint: /firewall/,
      })
    },
  },
  {
    name: 'server: it shows another key',
    async run(bench, slug) {
      const { address, port, user } = labPart('host2')
      const server = await bench.site.ask('POST', '/api/servers', {
        kind: 'ssh',
        name: slug,
        host: address,
        port,
        user,
        hostKey: KEY,
      })
      const projectId = await bench.project(slug, { serverId: server.id })
      const seen = await bench.deploy(projectId, {})
      return wordsOf(bench, seen, {
        code: 'server_denied',
        step: 'build',
        message: new RegExp(`^The server ${slug} cannot be used`),
        hint: /fingerprint/,
      })
    },
  },
]

/** Of no server. */
const KEY = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
