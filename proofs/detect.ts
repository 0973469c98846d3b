import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gitBinary } from '../server/src/drivers/git/binary.ts'
import { detect } from '../server/src/source/build/detect.ts'
import { answerOf, type Detection, dockerfileOf, type Found } from '../server/src/source/build/detection.ts'
import { remoteTree } from '../server/src/source/build/remote-tree.ts'
import type { SourceTree } from '../server/src/source/build/source-tree.ts'
import { bootstrap, startServer } from '../test-kit/built-server.ts'
import { createDatabase } from '../test-kit/database.ts'
import { allExamples, type Example, faultsOf } from '../test-kit/examples.ts'
import { startGitHost } from '../test-kit/git-host.ts'
import { content, sendFolder } from '../test-kit/send-folder.ts'
import { startRemoteHost } from './parts/remote-host.ts'

export const claim =
  'Every example is recognised rightly, with the same answer from an upload, a git commit and a remote listing.'
export const kind = 'story'
export const quick = true

const LEAST_EXAMPLES = 45
const MOST_MEDIAN_MS = 100

type Way = 'upload' | 'git' | 'remote'
type Seen = { way: Way; answer: ReturnType<typeof shown>; ms: number }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const examples = allExamples()
  const ways = await openWays()
  const faults: string[] = []
  const times: Record<Way, number[]> = { upload: [], git: [], remote: [] }
  try {
    for (const example of examples) {
      const seen = [await ways.upload(example), await ways.git(example), await ways.remote(example)]
      for (const { way, ms } of seen) times[way].push(ms)
      faults.push(...compare(example, seen))
    }
  } finally {
    await ways.close()
  }
  for (const fault of faults) console.log(`  ${fault}`)
  const medians = (Object.keys(times) as Way[]).map((way) => ({
    way,
    ms: middle(times[way]),
    slowest: Math.max(...times[way]),
  }))
  const ok = faults.length === 0 && examples.length >= LEAST_EXAMPLES && medians.every(({ ms }) => ms < MOST_MEDIAN_MS)
  const shownTimes = medians.map(({ way, ms, slowest }) => `${way} ${ms.toFixed(1)} ms (slowest ${slowest.toFixed(0)})`)
  const figure = `${examples.length} examples, ${faults.length} wrong or different; median ${shownTimes.join(', ')}; bar ${MOST_MEDIAN_MS} ms`
  return { ok, figure }
}

function compare({ name, test }: Example, seen: Seen[]): string[] {
  const [first, ...others] = seen
  if (!first) return [`${name}: nothing was seen`]
  const different = others.filter(({ answer }) => !isDeepStrictEqual(answer, first.answer))
  const faults = faultsOf(test, first.answer)
  return [
    ...faults.map((fault) => `${name}: ${fault}`),
    ...different.map(({ way }) => `${name}: the answer from ${way} is not the one from ${first.way}`),
  ]
}

/** As `prepare` shows it. */
function shown({ services, ...found }: Detection) {
  const one = (part: Found) => ({ ...answerOf(part), dockerfile: dockerfileOf(part) })
  return {
    ...one(found),
    services: services.map((service) => ({
      ...one(service),
      name: service.name,
      rootDirectory: service.rootDirectory,
      image: service.image,
    })),
  }
}

async function openWays() {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-detect-'))
  const database = await createDatabase({ migrated: true })
  const { token } = await bootstrap(database.url)
  const server = await startServer({ databaseUrl: database.url, dataDir: join(folder, 'data') })
  const [gitHost, remote] = [await startGitHost(), await startRemoteHost()]
  const git = gitBinary({ trust: { extra: gitHost.caFile, bundle: join(folder, 'authorities.pem') } })
  const timed = async (way: Way, look: () => Promise<Detection>): Promise<Seen> => {
    const began = performance.now()
    const found = await look()
    return { way, ms: performance.now() - began, answer: shown(found) }
  }
  return {
    /** Through the product: a folder session of the built server, and its own prepare. */
    async upload({ files }: Example): Promise<Seen> {
      const contents = Object.entries(files).map(([path, text]) => content(path, text))
      const { id } = await sendFolder(server.url, token, contents)
      const began = performance.now()
      const answer = await prepare(server.url, token, id)
      return { way: 'upload', ms: performance.now() - began, answer }
    },
    async git({ name, files }: Example): Promise<Seen> {
      const source = { url: gitHost.url(name), branch: 'main', credential: null }
      const commit = gitHost.commit(name, files)
      const directory = join(folder, 'repositories', name)
      const signal = AbortSignal.timeout(30_000)
      await git.fetch(source, commit, directory, signal)
      const tree: SourceTree = await git.tree(directory, commit, signal)
      return timed('git', () => detect(tree, { signal }))
    },
    async remote({ name, files }: Example): Promise<Seen> {
      remote.add(name, files)
      return timed('remote', async () => detect(remoteTree(await remote.open(name))))
    },
    async close() {
      await server.stop()
      gitHost.close()
      remote.close()
      await database.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function prepare(url: string, token: string, uploadSessionId: string): Promise<Seen['answer']> {
  const asked = await fetch(`${url}/api/deployments/prepare`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'local', uploadSessionId }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await asked.text()
  if (!asked.ok) throw new Error(`prepare: ${asked.status} ${text}`)
  const { success: _, source: __, ...answer } = JSON.parse(text)
  return answer
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
