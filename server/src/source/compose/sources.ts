import { posix } from 'node:path'
import { Refusal } from '../../errors.ts'
import type { ReadableTree } from '../build/source-tree.ts'
import { fault, leaves, type Place, quoted } from './faults.ts'
import { type Budget, MOST_FILE_BYTES, MOST_PATH } from './limits.ts'

type TreeFile = Extract<ReadableTree['entries'][number], { kind: 'file' }>

/** As many as Linux follows before it gives up. */
const MOST_LINKS = 40

/** The source tree as compose files see it: nothing outside of it can be named, not even through links. */
export class Sources {
  private readonly files = new Map<string, TreeFile>()
  private readonly links = new Map<string, string>()
  private readonly folders = new Set<string>(['.'])
  private readonly tree: ReadableTree
  private readonly budget: Budget

  constructor(tree: ReadableTree, budget: Budget) {
    this.tree = tree
    this.budget = budget
    for (const entry of tree.entries) {
      if (entry.kind === 'file') this.files.set(entry.path, entry)
      else this.links.set(entry.path, entry.target)
      for (let folder = posix.dirname(entry.path); folder !== '.' && !this.folders.has(folder); ) {
        this.folders.add(folder)
        folder = posix.dirname(folder)
      }
    }
  }

  /** A path of a compose file, seen from a folder of the tree, as a path of the tree. */
  inside(folder: string, path: string, place: Place): string {
    if (this.tree.machine && !path.startsWith('~')) return this.onMachine(folder, path, place)
    if (/^[/~]/.test(path) || /^[a-zA-Z]:[\\/]/.test(path) || path.startsWith('\\')) {
      throw leaves(place, path, 'is not a relative path')
    }
    if (/^[a-z][a-z0-9+.-]*:\/\/|^git@/i.test(path)) throw leaves(place, path, 'is an address, not a path')
    if (path.length > MOST_PATH) throw leaves(place, path, `is longer than ${MOST_PATH} characters`)
    const joined = posix.join(folder, path).replace(/(.)\/$/, '$1')
    if (joined === '..' || joined.startsWith('../')) throw leaves(place, path, 'leads out of the source')
    this.real(joined, place)
    return joined
  }

  /** Where the tree is a machine, its root is `/`, and `/..` is `/` as well. */
  private onMachine(folder: string, path: string, place: Place): string {
    if (path.length > MOST_PATH) throw leaves(place, path, `is longer than ${MOST_PATH} characters`)
    const whole = path.startsWith('/') ? posix.normalize(path) : posix.join('/', folder, path)
    return whole.replace(/^\/+|\/$/g, '') || '.'
  }

  /** Where a path really leads, links followed as the kernel would. */
  real(path: string, place: Place): string {
    let pending = path.split('/')
    let here: string[] = []
    for (let hops = 0; pending.length > 0; ) {
      const [name = '', ...rest] = pending
      pending = rest
      if (name === '' || name === '.') continue
      if (name === '..' && here.length === 0) throw leaves(place, path, 'leads out of the source through a link')
      here = name === '..' ? here.slice(0, -1) : [...here, name]
      const target = name === '..' ? undefined : this.links.get(here.join('/'))
      if (target === undefined) continue
      if (target.startsWith('/')) throw leaves(place, path, 'leads out of the source through a link')
      if (++hops > MOST_LINKS) throw leaves(place, path, 'goes through links in a circle')
      pending = [...target.split('/'), ...pending]
      here = here.slice(0, -1)
    }
    return here.join('/') || '.'
  }

  isFile(path: string, place: Place): boolean {
    const real = this.real(path, place)
    if (this.files.has(real)) return true
    this.tree.machine?.missed(real)
    return false
  }

  isFolder(path: string, place: Place): boolean {
    const real = this.real(path, place)
    return this.folders.has(real) || (this.tree.machine !== undefined && !this.files.has(real))
  }

  async text(path: string, place: Place): Promise<string> {
    const file = this.files.get(this.real(path, place))
    if (!file) {
      this.tree.machine?.missed(this.real(path, place))
      const what = this.folders.has(this.real(path, place))
        ? `${quoted(path)} is a folder`
        : `there is no file ${quoted(path)}`
      throw fault(place, what, 'Add the file to the source, or correct its path. Ignored files are not uploaded.')
    }
    this.budget.spend('files')
    if (file.size > MOST_FILE_BYTES) throw tooLarge(path)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of await this.tree.read(file)) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > MOST_FILE_BYTES) throw tooLarge(path)
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
    } catch {
      throw fault({ file: path, path: [] }, 'it is not text in UTF-8', 'Save the file as UTF-8.')
    }
  }
}

const tooLarge = (path: string) =>
  new Refusal('too_large', `${path} is larger than ${MOST_FILE_BYTES} bytes.`, {
    hint: 'A compose or env file is far smaller; check that this is the right file.',
  })
