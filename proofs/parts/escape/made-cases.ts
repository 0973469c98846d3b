import { type Case, type Entry, file } from './cases.ts'

const dockerfile = file('Dockerfile', 'FROM busybox:1\n')

const folder = (name: string, want: Case['want'], entries: Entry[]): Case => ({
  name,
  want,
  door: 'folders',
  entries: [dockerfile, ...entries],
})

const http = (name: string, text: string): Case => ({
  name,
  want: 'refused',
  door: 'edge',
  entries: [file('http', text)],
})

const nested = (depth: number) => '${A:-'.repeat(depth) + '}'.repeat(depth)

/** What is hostile by its size alone, and would only fill the corpus. */
export function madeCases(look: string, victimHost: string): Case[] {
  const deep = (count: number) => file(`${'d/'.repeat(count)}f`, 'x\n')
  const head = `GET / HTTP/1.1\r\nHost: ${victimHost}\r\n`
  const compose = `services:\n  web: {image: "${look}", command: ["echo", "${nested(3000)}"]}\n`
  return [
    folder(
      'up-30000-files',
      'harmless',
      Array.from({ length: 30_000 }, (_, n) => file(`m/${n}`, '')),
    ),
    folder('up-deep-300', 'refused', [deep(300)]),
    folder('up-deep-1800', 'refused', [deep(1800)]),
    folder('up-long-name', 'harmless', [file('a'.repeat(255), 'x\n')]),
    http('edge-big-header', `${head}X: ${'x'.repeat(1_200_000)}\r\n\r\n`),
    http('edge-10000-headers', `${head}${'X: y\r\n'.repeat(200_000)}\r\n`),
    {
      name: 'yaml-interpolation-deep',
      want: 'refused',
      door: 'compose-rest',
      entries: [file('compose.yaml', compose)],
    },
  ]
}
