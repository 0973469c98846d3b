import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../../lab/ask.ts'
import { type Bench, openBench } from '../../../../test-kit/builder.ts'
import { cmd, copy, isPlainPath, run } from './dockerfile.ts'

const SHELL = '/bin/sh'
/** As it stands in the file: already escaped. */
const inShell = (escaped: string) => `CMD ["${SHELL}", "-c", "${escaped}"]`

describe('how a container starts', () => {
  test.for<[command: string, written: string]>([
    ['node server.js', 'CMD ["node", "server.js"]'],
    ['  next   start -p 4000 ', 'CMD ["next", "start", "-p", "4000"]'],
    ['NODE_ENV=production node x.js', 'CMD ["env", "NODE_ENV=production", "node", "x.js"]'],
    ['uvicorn main:app --port $PORT', inShell('exec uvicorn main:app --port $PORT')],
    ['prisma migrate deploy && node x.js', inShell('prisma migrate deploy && exec node x.js')],
    ['a || b', inShell('a || b')],
    ['cd x && A=1 ./y "z"', inShell('cd x && A=1 ./y \\"z\\"')],
    ["gunicorn 'app:create_app()'", inShell(`exec gunicorn 'app:create_app()'`)],
    ['node x.js\nRUN id', inShell('node x.js\\nRUN id')],
    ['A=1', inShell('exec env A=1')],
  ])('%j', ([command, written]) => expect(cmd(command)).toBe(written))
})

test('paths that an instruction would read otherwise are refused by their name', () => {
  for (const path of ['a b', 'ä/ö', 'x.y/@z', '.well-known']) expect(isPlainPath(path)).toBe(true)
  for (const path of ['$HOME', 'a*', 'a[b]', '--from=x', 'a\nRUN id', "it's", 'a\\b']) {
    expect(() => copy([path], '/x')).toThrow(JSON.stringify(path))
  }
  expect(copy(['a b'], '/x/')).toBe('COPY ["a b", "/x/"]')
})

describe('a command of a build runs exactly as it was written', () => {
  let bench: Bench
  beforeAll(() => {
    bench = openBench(labPart('engine'))
  })
  afterAll(() => bench.close())

  const cases: [command: string, prints: string[]][] = [
    ['echo plain', ['plain']],
    ['echo "two  spaces" \'$HOME\' "a\\\\b"', ['two  spaces $HOME a\\b']],
    ['echo one\necho two', ['one', 'two']],
    ['cat <<EOF\nhere\nEOF', ['here']],
    ['echo ends with a backslash \\', ['ends with a backslash \\']],
    ['[ 1 = 1 ] && echo bracket', ['bracket']],
    ['echo "<<EOF"', ['<<EOF']],
    ['# a comment\necho after', ['after']],
    ['echo ä “quotes” 日本', ['ä “quotes” 日本']],
    ["echo '# syntax=x' && echo 'FROM y'", ['# syntax=x', 'FROM y']],
    ['false || echo $((1 + 1)) `echo sub`', ['2 sub']],
  ]
  test('whatever characters it is made of', async () => {
    const text = ['FROM busybox:1', `ENV FRESH=${Math.random()}`, ...cases.map(([command]) => run(command)), ''].join(
      '\n',
    )
    const { result, lines } = await bench.run(bench.request(bench.project(), text))
    expect([result.ok, lines]).toEqual([true, cases.flatMap(([, prints]) => prints)])
  }, 60_000)

  test('with a secret that it sees and the image does not have', async () => {
    const command = 'echo "$TOKEN" | wc -c && env | grep -c TOKEN\necho done'
    const text = `FROM busybox:1\nENV FRESH=${Math.random()}\n${run(command, { secrets: ['TOKEN'] })}\nRUN env | grep TOKEN || echo none\n`
    const request = bench.request(bench.project(), text, { secrets: { TOKEN: 'hush hush\n\n' } })
    const { result, lines } = await bench.run(request)
    expect([result.ok, lines]).toEqual([true, ['12', '1', 'done', 'none']])
  }, 60_000)
})
