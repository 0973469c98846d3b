/** As many as Linux follows before it gives up. */
const MOST_HOPS = 40

/**
 * The links that lead out of the tree, or nowhere for being circular; followed as the kernel would: `..` is the parent of
 * where one really is, and links met on the way are followed too. Expects that nothing lies below a link.
 */
export function leavingLinks(links: ReadonlyMap<string, string>): Set<string> {
  // null: leaves. Each is followed once, so that chains of chains cost no more than their length.
  const ends = new Map<string, string | null>()

  function follow(link: string, depth: number): string | null {
    const known = ends.get(link)
    if (known !== undefined) return known
    const end = depth > MOST_HOPS ? null : walk(link, links.get(link) ?? '', depth)
    ends.set(link, end)
    return end
  }

  function walk(link: string, target: string, depth: number): string | null {
    if (!isPlain(target)) return null
    let path = parentOf(link)
    for (const name of target.split('/')) {
      if (name === '' || name === '.') continue
      if (name === '..' && path === '') return null
      path = name === '..' ? parentOf(path) : path === '' ? name : `${path}/${name}`
      const end = name !== '..' && links.has(path) ? follow(path, depth + 1) : path
      if (end === null) return null
      path = end
    }
    return path
  }

  return new Set([...links.keys()].filter((link) => follow(link, 1) === null))
}

function isPlain(target: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return target !== '' && !target.startsWith('/') && !/[\0-\x1f\x7f\\\ufffd]/.test(target) && target.length <= 1024
}

const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
