import { isRefusal } from '../api/client.ts'
import type { Row } from './draft.ts'

type Place = Row | 'name' | 'server' | 'address' | 'variables' | 'image'
export type Problems = Partial<Record<Place, string>>

/** Where a refusal belongs, by the field that it names: `services.0.port`, `publicEndpoints`, `serverId`. */
const PLACES: [RegExp, Place][] = [
  [/^name$/, 'name'],
  [/^serverId$/, 'server'],
  [/^(publicEndpoints|domain)\b/, 'address'],
  [/^variables\b/, 'variables'],
  [/^image$/, 'image'],
  [/\binstallCommand$/, 'installCommand'],
  [/\bbuildCommand$/, 'buildCommand'],
  [/\bstartCommand$/, 'startCommand'],
  [/\boutputDirectory$/, 'outputDirectory'],
  [/\bport$/, 'port'],
]

/** What was refused, at its row; `rest`: what no row can say. */
export function problemsOf(error: unknown): { at: Problems; rest: unknown } {
  const field = isRefusal(error) ? (error.body.field ?? '') : ''
  const place = PLACES.find(([names]) => names.test(field))?.[1]
  if (!place || place === 'image' || !isRefusal(error)) return { at: {}, rest: error }
  const { message, error: sentence, hint } = error.body
  return { at: { [place]: [message ?? sentence, ...(hint ? [hint] : [])].join(' ') }, rest: null }
}
