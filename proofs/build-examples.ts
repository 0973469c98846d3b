import { type Runnable, runnables } from '../test-kit/examples.ts'
import { openSite } from '../test-kit/site.ts'
import { chosen } from './ledger/sizes.ts'
import { acceptedByBuildKit } from './parts/dockerfile-check.ts'
import { deployAndAsk } from './parts/examples-run.ts'

export const claim =
  'Every Node, static, Dockerfile and compose example is built, runs and answers; the other Dockerfiles are accepted by BuildKit.'
export const kind = 'story'
export const quick = false

/** The server builds two at a time; meanwhile others come up, are asked and go. */
const AT_ONCE = 4
const LEAST_COMPOSE = 6
/** What is not begun by then is named and counts as wrong; what is under way has its own deadline. */
const MOST_MINUTES = 40

/** `SLIPWAY_EXAMPLES='^compose-|^next'` takes only those: to go on where a run ended, or to try one again. */
const only = chosen('SLIPWAY_EXAMPLES') ?? ''

type Fault = { name: string; what: string }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const { run, checked, unavailable } = runnables((name) => new RegExp(only).test(name))
  for (const { name, test } of unavailable) console.log(`  NOT RUN ${name}: ${test.notRun}`)
  const began = performance.now()
  const site = await openSite({ name: 'examples' })
  const faults: Fault[] = []
  /** Several at a time, as long as there is time. */
  const each = async (parts: Runnable[], most: number, one: (part: Runnable) => Promise<string[]>) => {
    const waiting = parts.values()
    const worker = async () => {
      for (const part of waiting) {
        const late = performance.now() - began > MOST_MINUTES * 60_000
        const found = late ? [`it was not reached within ${MOST_MINUTES} min`] : await one(part)
        faults.push(...found.map((what) => ({ name: part.name, what })))
      }
    }
    await Promise.all(Array.from({ length: most }, worker))
  }
  try {
    await site.start()
    await site.addLocalServer()
    await each(run, AT_ONCE, (part) => deployAndAsk(site, part))
    await each(checked, 2, async (part) => {
      const found = await acceptedByBuildKit(site.engine, part)
      console.log(`  ${found.length === 0 ? 'accepted, not run' : 'WRONG'} ${part.name}: ${part.test.notRun}`)
      return found
    })
  } finally {
    await site.close()
  }
  return verdict({ run, checked, unavailable }, faults, (performance.now() - began) / 60_000)
}

function verdict(
  { run, checked, unavailable }: ReturnType<typeof runnables>,
  faults: Fault[],
  minutes: number,
): { ok: boolean; figure: string } {
  for (const { name, what } of faults) console.log(`  WRONG ${name}: ${what}`)
  const wrong = new Set(faults.map(({ name }) => name))
  if (wrong.size > 0) console.log(`  to try these again: SLIPWAY_EXAMPLES='^(${[...wrong].join('|')})$'`)
  const right = (parts: Runnable[]) => parts.filter(({ name }) => !wrong.has(name)).length
  const stacks = run.filter(({ test }) => test.strategy === 'compose')
  const ok = faults.length === 0 && run.length > 0 && (only !== '' || stacks.length >= LEAST_COMPOSE)
  const figure = [
    `${right(run)} of ${run.length} examples built, run and asked (${right(stacks)} of ${stacks.length} compose stacks)`,
    `${right(checked)} of ${checked.length} Dockerfiles of stacks whose base images the lab lacks parsed by BuildKit and begun, not run`,
    `${unavailable.length} not tried at all${unavailable.length > 0 ? ` (${unavailable.map(({ name }) => name).join(', ')})` : ''}`,
    `${faults.length} faults, in ${minutes.toFixed(0)} min${only === '' ? '' : `; only those that match ${only}`}`,
  ]
  return { ok, figure: figure.join('; ') }
}
