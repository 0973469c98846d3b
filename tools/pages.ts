import { dirname, join, normalize } from 'node:path'

const MOST_LINES = 15
const MOST_COLUMNS = 120

/** A README of a room is read standing: what is there, what it may import. The front page and the list of all pages are longer. */
export function longReadme(file: string, text: string): string[] {
  if (!file.endsWith('/README.md') || file === 'docs/README.md') return []
  const lines = text.trimEnd().split('\n')
  const wide = lines.findIndex((line) => line.length > MOST_COLUMNS)
  return [
    ...(lines.length > MOST_LINES ? [`${file} has ${lines.length} lines, and ${MOST_LINES} at most; say less`] : []),
    ...(wide < 0 ? [] : [`${file}:${wide + 1} has more than ${MOST_COLUMNS} characters; break the line`]),
  ]
}

/** Records and the list of changes tell of what was; the reference is made from code; the guides name files of users as well. */
const PRESENT = /^(?!docs\/(decisions|reference|how-to|tutorials)\/|CHANGELOG\.md$|examples\/).*\.md$/
const NAMED = /`([\w.-]+(?:\/[\w.-]+)*\/?)`/g
const LINK = /\]\(([^)\s#:]+)(?:#[^)]*)?\)/g

/**
 * Files and folders that a page names and nobody finds. Code is named by the end of its path, as one says it (`core/page.ts`, `page.ts`);
 * a link is followed from the page.
 */
export function missingPaths(page: string, text: string, files: string[]): string[] {
  if (!page.endsWith('.md')) return []
  const links = [...text.matchAll(LINK)].map(([, path = '']) => normalize(join(dirname(page), path)).replace(/\/$/, ''))
  const lost = links.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)))
  const named = PRESENT.test(page) ? [...text.matchAll(NAMED)].map(([, path = '']) => path).filter(isOurs) : []
  const unknown = named.filter((path) => !files.some((file) => isCalled(file, path)))
  return [...new Set([...lost, ...unknown])].map((path) => `${page} names ${path}, which is not there; correct it`)
}

const isCalled = (file: string, path: string) =>
  path.endsWith('/') ? `/${file}`.includes(`/${path}`) : `/${file}`.endsWith(`/${path}`)

/** Source files by any name; folders only where they begin with a room, for `a/b/` may be a place on a user's machine. */
const isOurs = (path: string) =>
  /\w\.(ts|cjs)$/.test(path) ||
  /^(contract|server|cli|core|drivers|http|jobs|source|process|test-kit|proofs|tools)\/.*\/$/.test(path)
