import { LIMIT_KINDS } from '@slipway/contract/limits'
import { inWords, LIMITS } from './core/limits/table.ts'
import { type NewLimits, setLimits } from './core/operator/set-limits.ts'
import type { Platform } from './core/platform.ts'
import { UsageError } from './errors.ts'

/** For `parseArgs`: one option for each limit. */
export const limitOptions = Object.fromEntries(
  LIMIT_KINDS.map((kind) => [LIMITS[kind].option, { type: 'string' as const }]),
)

/** Sets what is named and shows all: `slipway admin limits org_… --projects 100 --members none`. */
export function changeLimits(orgId: string, values: Record<string, unknown>) {
  const wanted: NewLimits = {}
  for (const kind of LIMIT_KINDS) {
    const said = values[LIMITS[kind].option]
    if (typeof said === 'string') wanted[kind] = numberOf(LIMITS[kind].option, said)
  }
  return async (platform: Platform): Promise<void> => {
    const { limits } = await setLimits(platform, orgId, wanted)
    if (values.json === true) return void process.stdout.write(`${JSON.stringify({ limits })}\n`)
    const lines = limits.map(({ kind, used, most }) => {
      const may = most === null ? 'no limit' : `of ${inWords(kind, most)}`
      return `${LIMITS[kind].option.padEnd(20)}${inWords(kind, used)}, ${may}\n`
    })
    process.stdout.write(lines.join(''))
  }
}

function numberOf(option: string, said: string): number | null | 'default' {
  if (said === 'default') return said
  if (said === 'none') return null
  if (!/^\d{1,15}$/.test(said))
    throw new UsageError(`--${option} must be a number, none for no limit, or default for what all organizations have.`)
  return Number(said)
}
