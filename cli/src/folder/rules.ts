import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ignore, { type Ignore } from 'ignore'

/** Whatever somebody's rules say: what is made again where it is built, what belongs to one machine, and our own. */
const ALWAYS = [
  ...['.git', '.hg', '.svn', '.slipway', '.DS_Store', 'node_modules', '.venv', '__pycache__', '*.pyc'],
  ...['.next/cache', '.turbo', '.parcel-cache', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox'],
]
/** Secrets of one machine. They go only when somebody says so. */
const SECRETS = ['.env*', '!.env.example']
const FILES = ['.gitignore', '.slipwayignore']

export type RuleOptions = { includeEnv?: boolean; include?: string[]; exclude?: string[] }

/** Whether a path is left out. Folders end with a slash. */
export type Rules = {
  leavesOut(path: string): boolean
  /** The same with what the rule files of a folder say, which go before those above it. */
  below(folder: string): Promise<Rules>
}

/** Rules of git, of every folder, and of slipway.json. Those that are always left out cannot be asked back. */
export async function rulesOf(
  root: string,
  { includeEnv = false, include = [], exclude = [] }: RuleOptions = {},
): Promise<Rules> {
  const asked = include.map((path) => path.replace(/^\.?\//, '').replace(/\/$/, ''))
  const isAsked = (path: string) => {
    const bare = path.replace(/\/$/, '')
    // What is asked for, what lies in it, and the folders on the way to it.
    return asked.some(
      (one) => bare === one || bare.startsWith(`${one}/`) || (path.endsWith('/') && one.startsWith(path)),
    )
  }
  const always = () => ignore({ ignorecase: true }).add(includeEnv ? ALWAYS : [...ALWAYS, ...SECRETS])
  // New ones for each folder: they remember every path that they were asked about.
  const rulesFor = (said: Ignore, never: Ignore): Rules => ({
    leavesOut: (path) => never.ignores(path) || (said.ignores(path) && !isAsked(path)),
    below: async (folder) =>
      rulesFor(
        caseful()
          .add(said)
          .add(await linesOf(root, folder)),
        always(),
      ),
  })
  return rulesFor(caseful().add(exclude), always())
}

const caseful = () => ignore({ ignorecase: false })

async function linesOf(root: string, folder: string): Promise<string[]> {
  const texts = await Promise.all(FILES.map((name) => readFile(join(root, folder, name), 'utf8').catch(() => '')))
  return texts
    .flatMap((text) => text.replace(/^\ufeff/, '').split(/\r?\n/))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => fromRoot(line, folder))
}

/** A rule of a folder as the rule of the root that says the same, so that the last one that fits decides, as it does for git. */
function fromRoot(line: string, folder: string): string {
  if (folder === '') return line
  const [not, rule] = line.startsWith('!') ? ['!', line.slice(1)] : ['', line]
  const anchored = rule.trimEnd().replace(/\/$/, '').includes('/')
  return `${not}/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/${anchored ? rule.replace(/^\//, '') : `**/${rule}`}`
}
