import { badLink, checkTarget, quoted } from './paths.ts'

/** As many as Linux follows before it gives up. */
const MOST_HOPS = 40

type Place = { path: string; hops: number }

/**
 * Refuses links that lead out of the folder, followed as the kernel would: `..` is the parent of where one really is,
 * and links met on the way are followed too. Expects that nothing lies below a link.
 */
export function checkLinks(links: ReadonlyMap<string, string>): void {
  // Each is followed once, so that chains of chains cost no more than their length.
  const known = new Map<string, Place>()

  function follow(link: string, target: string, depth: number): Place {
    const before = known.get(link)
    if (before) return before
    if (depth > MOST_HOPS) throw badLink(link, `is part of a circle or of a chain of more than ${MOST_HOPS} links`)
    let path = parentOf(link)
    let hops = 1
    for (const name of target.split('/')) {
      if (name === '' || name === '.') continue
      if (name === '..' && path === '') throw badLink(link, `points to ${quoted(target)}, which leaves the folder`)
      path = name === '..' ? parentOf(path) : below(path, name)
      const further = name === '..' ? undefined : links.get(path)
      if (further === undefined) continue
      const place = follow(path, further, depth + 1)
      path = place.path
      hops += place.hops
      if (hops > MOST_HOPS) throw badLink(link, `is part of a chain of more than ${MOST_HOPS} links`)
    }
    const place = { path, hops }
    known.set(link, place)
    return place
  }

  for (const [link, target] of links) checkTarget(link, target)
  for (const [link, target] of links) follow(link, target, 1)
}

const parentOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
const below = (path: string, name: string) => (path === '' ? name : `${path}/${name}`)
