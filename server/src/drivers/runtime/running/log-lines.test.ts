import { describe, expect, test } from 'vitest'
import { type LogLine, logLines } from './log-lines.ts'

const at = '2024-01-31T10:00:00.123456789Z'
const prefix = (task: string) =>
  `${at} com.docker.swarm.node.id=n,com.docker.swarm.service.id=s,com.docker.swarm.task.id=${task} `

function frame(stream: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  const head = Buffer.alloc(8)
  head[0] = stream
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

async function read(chunks: Buffer[], tty = false): Promise<LogLine[]> {
  const found: LogLine[] = []
  const source = async function* () {
    yield* chunks
  }
  for await (const line of logLines(source(), tty)) found.push(line)
  return found
}

describe('a framed log', () => {
  test('arrives in any pieces', async () => {
    const whole = Buffer.concat([
      frame(1, `${prefix('a')}one\n`),
      frame(2, `${prefix('b')}  two\r\n`),
      frame(1, `${prefix('a')}\n`),
    ])
    const expected = [
      { at, stream: 'stdout', taskId: 'a', line: 'one' },
      { at, stream: 'stderr', taskId: 'b', line: '  two' },
      { at, stream: 'stdout', taskId: 'a', line: '' },
    ]
    for (const size of [1, 3, 7, 1000]) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
        whole.subarray(n * size, (n + 1) * size),
      )
      expect(await read(chunks)).toEqual(expected)
    }
  })

  test('a line that the engine cut in the middle of a character is whole, though others come between', async () => {
    const euro = Buffer.from('€')
    const first = Buffer.concat([Buffer.from(prefix('a')), euro.subarray(0, 1)])
    const second = Buffer.concat([Buffer.from(prefix('a')), euro.subarray(1), Buffer.from('\n')])
    const lines = await read([frame(1, first), frame(1, `${prefix('b')}other\n`), frame(1, second)])
    expect(lines.map(({ line }) => line)).toEqual(['other', '€'])
  })

  test('a line without an end is given in parts', async () => {
    const part = 'x'.repeat(16_384)
    const lines = await read(Array.from({ length: 20 }, () => frame(1, prefix('a') + part)))
    expect(lines.map(({ line }) => line.length)).toEqual([16 * 16_384, 4 * 16_384])
  })

  test("the engine's own words are a failure, not a line", async () => {
    await expect(read([frame(1, `${prefix('a')}one\n`), frame(3, 'Error grabbing logs: stopping')])).rejects.toThrow(
      'grabbing logs',
    )
    expect(await read([frame(1, 'no time here\n')])).toEqual([])
  })
})

test('a terminal has no frames', async () => {
  const text = Buffer.from(`${prefix('a')}one\r\n${prefix('a')}two €\r\n`)
  const lines = await read([text.subarray(0, 150), text.subarray(150)], true)
  expect(lines).toEqual([
    { at, stream: 'stdout', taskId: 'a', line: 'one' },
    { at, stream: 'stdout', taskId: 'a', line: 'two €' },
  ])
})
