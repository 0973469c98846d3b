import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

type Chunk = { file: string; imports?: string[]; isEntry?: boolean; isDynamicEntry?: boolean }
export type Weight = { page: string; bytes: number }

/** How much script a first visit to each page of a built dashboard loads, as it is sent to a browser that takes gzip. */
export function scriptWeights(dir: string): Weight[] {
  const chunks: Record<string, Chunk> = JSON.parse(readFileSync(join(dir, 'build.json'), 'utf8'))
  /** A chunk and all that it needs before it runs. */
  const needs = (name: string, found = new Set<string>()): Set<string> => {
    if (found.has(name)) return found
    found.add(name)
    for (const other of chunks[name]?.imports ?? []) needs(other, found)
    return found
  }
  const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? ''
  const pages = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry && name.endsWith('-page.tsx'))
  return pages.map((page) => {
    const files = [...new Set([...needs(entry), ...needs(page)])].map((name) => chunks[name]?.file ?? '')
    const bytes = files.filter((file) => file.endsWith('.js')).map((file) => statSync(join(dir, `${file}.gz`)).size)
    return { page, bytes: bytes.reduce((sum, one) => sum + one, 0) }
  })
}
