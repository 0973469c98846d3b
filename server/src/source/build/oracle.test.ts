import { posix } from 'node:path'
import { frameworkList } from '@vercel/frameworks'
import { DetectorFilesystem, detectFramework } from '@vercel/fs-detectors'
import { expect, test } from 'vitest'
import { allExamples, treeOf } from '../../../../test-kit/examples.ts'
import { detect } from './detect.ts'

/** The same files for the other tool. */
class Files extends DetectorFilesystem {
  readonly files: Record<string, string>
  readonly folder: string

  constructor(files: Record<string, string>, folder = '') {
    super()
    this.files = files
    this.folder = folder
  }

  #path(path: string): string {
    return posix.join('/', this.folder, path).slice(1)
  }

  override async _hasPath(path: string) {
    const wanted = this.#path(path)
    return wanted in this.files || Object.keys(this.files).some((file) => file.startsWith(`${wanted}/`))
  }

  override async _readFile(path: string) {
    return Buffer.from(this.files[this.#path(path)] ?? '')
  }

  override async _isFile(path: string) {
    return this.#path(path) in this.files
  }

  override async _readdir() {
    return []
  }

  override _chdir(name: string) {
    return new Files(this.files, this.#path(name))
  }
}

/** Where the other one calls the same thing otherwise. */
const SAME: Record<string, string> = {
  'sveltekit-1': 'sveltekit',
  'docusaurus-2': 'docusaurus',
}
/** What it gives for any program of a language; we leave the framework empty then. */
const LANGUAGES = new Set(['node', 'python', 'go', 'rust', 'ruby', 'bun', 'container', 'services'])

/** Where we differ on purpose. */
const DIFFERENT: Record<string, string> = {
  'php-laravel': 'the pages of Laravel are built with Vite; the application is PHP',
  'go-gin-cmd': 'it knows no frameworks of Go',
}

type Part = { name: string; folder: string; framework: string | null; language: string | null; strategy: string }

const parts: Part[] = []
for (const { name, files } of allExamples()) {
  const found = await detect(treeOf(files))
  const services = found.services.map((one) => ({
    ...one,
    name: `${name} ${one.name}`,
    folder: one.rootDirectory ?? '',
  }))
  const all = found.strategy === 'monorepo' ? services : [{ ...found, name, folder: '' }]
  parts.push(...all.filter(({ strategy }) => strategy === 'server' || strategy === 'static'))
}

test.for(parts.map((part) => [part.name, part] as const))(
  '%s is called as the other tool calls it',
  async ([name, part]) => {
    const files = allExamples().find((example) => example.name === name.split(' ')[0])?.files ?? {}
    const theirs = await detectFramework({ fs: new Files(files, part.folder), frameworkList })
    const known = theirs === null || LANGUAGES.has(theirs) ? null : (SAME[theirs] ?? theirs)
    if (name in DIFFERENT) return expect(part.framework).not.toBe(known)
    // Where it knows nothing, we may know more.
    if (known !== null) expect(part.framework).toBe(known)
  },
)
