/** Whatever somebody's rules say: what is made again where it is built, what belongs to one machine, and our own. */
const ALWAYS = [
  ...['.git', '.hg', '.svn', '.slipway', '.DS_Store', 'node_modules', '.venv', '__pycache__', '*.pyc'],
  ...['.next/cache', '.turbo', '.parcel-cache', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox'],
]
/** Secrets of one machine. They go only when somebody says so. */
const SECRETS = ['.env*', '!.env.example']

/** Files with rules, of every folder. */
export const RULE_FILES = ['.gitignore', '.slipwayignore']

export type RuleOptions = { includeEnv?: boolean; include?: string[]; exclude?: string[] }

/** Whether a path is left out. Folders end with a slash. */
export type FolderRules = {
  leavesOut(path: string): boolean
  /** The same with what the rule files of a folder say, which go before those above it. */
  below(folder: string, texts: string[]): FolderRules
}

/** What is needed of whoever knows the patterns of git: the contract brings no library for it. */
type Matcher<Self> = { add(more: string[] | Self): Self; ignores(path: string): boolean }

/**
 * Rules of git, of every folder, and of slipway.json: the same for every client that sends a folder. Those that are always left out
 * cannot be asked back.
 */
export function folderRules<One extends Matcher<One>>(
  make: (options: { ignorecase: boolean }) => One,
  { includeEnv = false, include = [], exclude = [] }: RuleOptions = {},
): FolderRules {
  const asked = include.map((path) => path.replace(/^\.?\//, '').replace(/\/$/, ''))
  const isAsked = (path: string) => {
    const bare = path.replace(/\/$/, '')
    // What is asked for, what lies in it, and the folders on the way to it.
    return asked.some(
      (one) => bare === one || bare.startsWith(`${one}/`) || (path.endsWith('/') && one.startsWith(path)),
    )
  }
  const caseful = () => make({ ignorecase: false })
  const always = () => make({ ignorecase: true }).add(includeEnv ? ALWAYS : [...ALWAYS, ...SECRETS])
  // New ones for each folder: they remember every path that they were asked about.
  const rulesFor = (said: One, never: One): FolderRules => ({
    leavesOut: (path) => never.ignores(path) || (said.ignores(path) && !isAsked(path)),
    below: (folder, texts) => rulesFor(caseful().add(said).add(linesOf(texts, folder)), always()),
  })
  return rulesFor(caseful().add(exclude), always())
}

const linesOf = (texts: string[], folder: string): string[] =>
  texts
    .flatMap((text) => text.replace(/^\ufeff/, '').split(/\r?\n/))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => fromRoot(line, folder))

/** A rule of a folder as the rule of the root that says the same, so that the last one that fits decides, as it does for git. */
function fromRoot(line: string, folder: string): string {
  if (folder === '') return line
  const [not, rule] = line.startsWith('!') ? ['!', line.slice(1)] : ['', line]
  const anchored = rule.trimEnd().replace(/\/$/, '').includes('/')
  return `${not}/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/${anchored ? rule.replace(/^\//, '') : `**/${rule}`}`
}

/** Why a name cannot be sent: no instance takes it, and one such file would keep all others here. */
export function nameFault(name: string): string | null {
  if (name.includes('\ufffd') || !name.isWellFormed()) return 'its name is not UTF-8'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x1f\x7f]/.test(name)) return 'its name has a control character in it'
  return name.includes('\\') ? 'its name has a backslash in it' : null
}
