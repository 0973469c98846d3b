import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { runnables } from '../../../test-kit/examples.ts'
import type { Site } from '../../../test-kit/site.ts'
import type { Check } from './checks.ts'
import { write } from './journey.ts'
import { type Machine, runNode } from './run-cli.ts'

const EXAMPLE = 'nextjs'

/** What somebody does on the first day: the command line from the instance, one to sign in, one to deploy. */
export async function newcomer(check: Check, site: Site, machine: Machine, program: string): Promise<string> {
  const home = join(machine.home, 'newcomer')
  const folder = join(home, EXAMPLE)
  const [example] = runnables((name) => name === EXAMPLE).run
  if (!example) throw new Error(`there is no example ${EXAMPLE}`)
  mkdirSync(home)
  write(folder, example.files)
  const slipway = (argv: string[], stdin = '') => runNode({ home, env: {} }, [program, ...argv], { cwd: folder, stdin })
  const began = performance.now()
  const { SLIPWAY_URL: url = '', SLIPWAY_TOKEN: token = '' } = machine.env
  const signedIn = await slipway(['login', url, '--token-stdin'], token)
  const deployed = await slipway(['deploy'])
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const { status, text } = await site.visit(EXAMPLE).catch((error: Error) => ({ status: 0, text: error.message }))
  const answers = status === 200 && text.includes(example.test.httpCheck?.body ?? '')
  for (const { code, err } of [signedIn, deployed]) if (code !== 0) console.log(err)
  const holds = signedIn.code === 0 && deployed.code === 0 && answers
  check(`login and deploy in examples/${EXAMPLE}: ${deployed.out.trim()} answers ${status} after ${seconds} s`, holds)
  return `examples/${EXAMPLE} ${holds ? `answers ${seconds} s after login` : 'does not answer after login'}`
}
