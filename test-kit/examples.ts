import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** What an application must answer once it runs. */
export type HttpCheck = { path: string; status: number; body: string; service?: string }

type Expected = {
  name?: string
  rootDirectory?: string | null
  image?: string | null
  strategy: string
  port: number | null
  /** Lines that must be in the generated Dockerfile. */
  dockerfile?: string[]
  httpCheck?: HttpCheck
  alsoCheck?: HttpCheck[]
  /** Why it is not built and run in the lab. */
  notRun?: string
} & Record<string, unknown>

/** The test.json of an example: what detection must answer, and what it must answer itself once deployed. */
export type ExampleTest = Expected & { services?: Expected[] }
export type Example = { name: string; files: Record<string, string>; test: ExampleTest }

const FOLDER = join(import.meta.dirname, '../examples')

export const allExamples = (): Example[] =>
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readExample(entry.name))

export function readExample(name: string): Example {
  const folder = join(FOLDER, name)
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  const files = Object.fromEntries(
    paths.filter((path) => path !== 'test.json').map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
  return { name, files, test: JSON.parse(readFileSync(join(folder, 'test.json'), 'utf8')) }
}

/** One deployable part of an example, under a name of its own. */
export type Runnable = { name: string; files: Record<string, string>; test: Expected }

/** What can be built and run in the lab, what can only be checked, and what cannot even be that. */
export function runnables(wanted: (name: string) => boolean): Record<'run' | 'checked' | 'unavailable', Runnable[]> {
  const parts = allExamples().flatMap(({ name, files, test }): Runnable[] => {
    if (test.strategy !== 'monorepo') return [{ name, files, test }]
    return (test.services ?? []).map((service) => ({ name: `${name}-${service.name}`, files, test: service }))
  })
  const chosen = parts.filter(({ name }) => wanted(name))
  const missing = chosen.filter(({ test }) => test.notRun !== undefined)
  return {
    run: chosen.filter(({ test }) => test.notRun === undefined),
    checked: missing.filter(({ test }) => test.strategy !== 'compose'),
    unavailable: missing.filter(({ test }) => test.strategy === 'compose'),
  }
}

/** Files as a source tree, without an upload or a repository. */
export function treeOf(files: Record<string, string>) {
  const entries = Object.entries(files).map(([path, text]) => {
    const bytes = Buffer.from(text)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { kind: 'file' as const, path, size: bytes.length, mode: 0o644, sha256 }
  })
  return { entries, read: async ({ path }: { path: string }) => Readable.from([Buffer.from(files[path] ?? '')]) }
}

const FIELDS = [
  'strategy',
  'language',
  'framework',
  'packageManager',
  'installCommand',
  'buildCommand',
  'startCommand',
  'outputDirectory',
  'port',
  'confidence',
  'name',
  'rootDirectory',
  'image',
]

type Answered = { services?: Answered[]; dockerfile?: string | null; because: string[] } & Record<string, unknown>

/** What differs between an answer and what a test.json says, as sentences; none when it is right. */
export function faultsOf(test: ExampleTest, answer: Answered, at = ''): string[] {
  const fields = FIELDS.filter((field) => field in test && test[field] !== answer[field])
  const faults = fields.map((field) => `${at}${field} is ${shown(answer[field])}, not ${shown(test[field])}`)
  for (const line of test.dockerfile ?? []) {
    if (!answer.dockerfile?.includes(line)) faults.push(`${at}the Dockerfile lacks ${line}`)
  }
  if (answer.because.length === 0) faults.push(`${at}it does not say why`)
  const wanted = test.services ?? []
  const got = answer.services ?? []
  if (wanted.length !== got.length) faults.push(`${at}services are ${shown(got.map(({ name }) => name))}`)
  for (const [n, service] of wanted.entries()) {
    const one = got[n]
    if (one) faults.push(...faultsOf(service, one, `${service.name}: `))
  }
  return faults
}

const shown = (value: unknown) => JSON.stringify(value)
