import type { NodePackage } from './manifest.ts'

export type NodeVersion = { major: number; because: string | null; warning?: string }

const DEFAULT = 24
/** Those with an image, best first: the current long-term one, then older and newer ones. */
const MAJORS = [24, 22, 20, 18, 26, 25, 23, 21, 16]
const NAMES: Record<string, number> = { krypton: 24, jod: 22, iron: 20, hydrogen: 18, gallium: 16 }

/** The Node that a package asks for: a version file first, then `engines`; the package's own before its workspace's. */
export async function nodeVersion(packages: NodePackage[]): Promise<NodeVersion> {
  for (const { look, manifest } of packages) {
    for (const file of ['.nvmrc', '.node-version']) {
      const text = (await look.text(file))?.trim()
      if (text) return chosen(text, `${file} says ${text}`)
    }
    const tools = /^nodejs\s+(\S+)/m.exec((await look.text('.tool-versions')) ?? '')?.[1]
    if (tools) return chosen(tools, `.tool-versions says nodejs ${tools}`)
    const engine = manifest.engines?.node
    if (typeof engine === 'string' && engine.trim() !== '')
      return chosen(engine, `package.json asks for node ${engine}`)
  }
  return { major: DEFAULT, because: null }
}

function chosen(text: string, because: string): NodeVersion {
  const range = text.trim().slice(0, 200)
  const name = /^lts\/(\S+)$/i.exec(range)?.[1]?.toLowerCase()
  if (name !== undefined || /^(?:node|stable|latest|current)$/i.test(range)) {
    return { major: NAMES[name ?? ''] ?? DEFAULT, because }
  }
  const major = MAJORS.find((candidate) => allows(range, candidate))
  if (major !== undefined) return { major, because }
  return { major: DEFAULT, because: null, warning: `No Node fits "${range}"; the image has Node ${DEFAULT}.` }
}

/** Whether some version of this major is in the range. Minor versions only matter at the edges, and an image is newest. */
const allows = (range: string, major: number): boolean =>
  range.split('||').some((set) => {
    const hyphen = /^\s*v?(\d+)\S*\s+-\s+v?(\d+)\S*\s*$/.exec(set)
    if (hyphen) return major >= Number(hyphen[1]) && major <= Number(hyphen[2])
    const words = set.replace(/([<>=~^]+)\s+/g, '$1').split(/[\s,]+/)
    return words.filter((word) => word !== '').every((word) => fits(word, major))
  })

function fits(word: string, major: number): boolean {
  const [, operator = '', asked, rest = ''] = /^([<>=~^]*)v?(\d+|[x*])(.*)$/i.exec(word) ?? []
  if (asked === undefined) return false
  if (!/^\d+$/.test(asked)) return true
  const wanted = Number(asked)
  const whole = /^(?:\.[0x*]+)*$/i.test(rest)
  if (operator === '>=') return major >= wanted
  if (operator === '>') return whole && rest === '' ? major > wanted : major >= wanted
  if (operator === '<') return whole ? major < wanted : major <= wanted
  if (operator === '<=') return major <= wanted
  return major === wanted
}
