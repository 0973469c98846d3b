import { until } from '../../../test-kit/until.ts'
import type { Bench, Row } from './bench.ts'
import { linesOf } from './bench.ts'

const PAGE = { 'index.html': 'hello' }
const SERVED = 'CMD ["httpd", "-f", "-p", "8080", "-h", "/"]\n'

/** What a build does besides keeping to itself: the traps that spoil a good build or hide why a bad one failed. */
export async function manners(bench: Bench): Promise<Row[]> {
  return [await slowReader(bench), await failingLine(bench), await sameImage(bench), await ignoredFile(bench)]
}

/** The server stands still for longer than BuildKit waits for a reader; the build goes on, and no line is lost. */
async function slowReader({ site, thief }: Bench): Promise<Row> {
  const count = 5000
  const step = `RUN for n in $(seq 1 ${count}); do echo line $n; done; sleep 1; for n in $(seq 1 ${count}); do echo more $n; done; exit 7`
  const id = await site.deploy(thief.id, { Dockerfile: `FROM busybox:1\n${step}\n` })
  const [server] = site.replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  await until('it builds', 60_000, async () => (await site.show(id)).status === 'building')
  server?.child.kill('SIGSTOP')
  await new Promise((done) => setTimeout(done, 7000))
  server?.child.kill('SIGCONT')
  const { error } = await site.ended(id, 180)
  const lines = (await linesOf(site, id)).filter((line) => /^(line|more) \d+$/.test(line))
  const right = lines.length === 2 * count && error?.code === 'build_failed'
  return {
    trap: 'a reader that stops for 7 s',
    tried: 1,
    broken: right ? [] : [`${lines.length} lines, ${error?.code}: ${error?.message}`],
    note: 'lost no line and spoilt nothing',
  }
}

async function failingLine(bench: Bench): Promise<Row> {
  const dockerfile =
    'FROM busybox:1 AS other\nRUN sleep 20\nFROM busybox:1\nRUN true\nRUN echo on purpose && exit 3\nCOPY --from=other /etc /x\n'
  const { error } = await bench.build(bench.thief, { Dockerfile: dockerfile })
  const right = error?.message.includes('line 5') === true && error.code === 'build_failed'
  return {
    trap: 'a failure beside a step that was cut off',
    tried: 1,
    broken: right ? [] : [`${error?.code}: ${error?.message}`],
    note: 'named the line of the Dockerfile that failed',
  }
}

async function sameImage(bench: Bench): Promise<Row> {
  const folder = { ...PAGE, Dockerfile: `FROM busybox:1\nCOPY index.html /\nRUN date > /built\n${SERVED}` }
  const [first, second] = [await bench.build(bench.thief, folder), await bench.build(bench.thief, folder)]
  const ids = [first, second].map(({ deployment }) => deployment.services[0]?.digest)
  const right = ids[0] !== undefined && ids[0] === ids[1] && second.status === 'ready'
  return {
    trap: 'the same source twice',
    tried: 1,
    broken: right ? [] : [`${first.status} ${ids[0]}, ${second.status} ${ids[1]}`],
    note: 'made the same image',
  }
}

async function ignoredFile(bench: Bench): Promise<Row> {
  const folder = {
    ...PAGE,
    'not-for-you': 'ignored',
    '.dockerignore': 'not-for-you\n',
    Dockerfile: 'FROM busybox:1\nCOPY . /x\nRUN ls /x; exit 7\n',
  }
  const { lines } = await bench.build(bench.thief, folder)
  const right = lines.includes('index.html') && !lines.includes('not-for-you')
  return { trap: '.dockerignore', tried: 1, broken: right ? [] : [lines.join(' ')], note: 'kept its file out' }
}
