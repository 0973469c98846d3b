const [ONE, WITHIN, ACROSS, FOLDERS] = [0, 1, 2, 3]
const SLASH = 47
const ANY = -1

type Part = { kind: number; code: number }

function parse(glob: string): Part[] {
  const words = glob.match(/\*\*\/|\*\*|[\s\S]/g) ?? []
  return words.map((word): Part => {
    if (word === '**/') return { kind: FOLDERS, code: ANY }
    if (word === '**') return { kind: ACROSS, code: ANY }
    if (word === '*') return { kind: WITHIN, code: ANY }
    return { kind: ONE, code: word === '?' ? ANY : word.charCodeAt(0) }
  })
}

/**
 * `*` and `?` within a folder, `**` across folders; dots are characters like any other. Simulates the automaton, in time
 * that grows with path times pattern: a regular expression made of somebody's pattern could take for ever.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const parts = parse(glob)
  const size = parts.length
  const kinds = Int8Array.from(parts, ({ kind }) => kind)
  const codes = Int32Array.from(parts, ({ code }) => code)
  let [places, next] = [new Uint8Array(size + 1), new Uint8Array(size + 1)]
  // Inside of a folder that `**/` runs over, nothing after it may begin.
  let [running, on] = [new Uint8Array(size + 1), new Uint8Array(size + 1)]
  const enter = (at: number, into: Uint8Array) => {
    for (let here = at; into[here] === 0; here++) {
      into[here] = 1
      if (here === size || kinds[here] === ONE) return
    }
  }
  enter(0, places)
  for (let index = 0; index < path.length; index++) {
    const code = path.charCodeAt(index)
    next.fill(0)
    on.fill(0)
    for (let at = 0; at < size; at++) {
      if (places[at] === 0 && running[at] === 0) continue
      const kind = kinds[at]
      if (kind === FOLDERS) {
        if (code === SLASH) enter(at, next)
        else on[at] = 1
      } else if (kind === ONE) {
        if (codes[at] === ANY ? code !== SLASH : code === codes[at]) enter(at + 1, next)
      } else if (kind === ACROSS || code !== SLASH) enter(at, next)
    }
    ;[places, next] = [next, places]
    ;[running, on] = [on, running]
  }
  return places[size] === 1
}
