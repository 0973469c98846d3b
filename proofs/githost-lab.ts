import { existsSync } from 'node:fs'
import { labPart } from '../lab/ask.ts'
import { appCases } from './parts/githost/app-cases.ts'
import { type Client, openClient, type Tally } from './parts/githost/client.ts'
import { held } from './parts/githost/described.ts'
import { faultCases } from './parts/githost/fault-cases.ts'
import { oauthCases } from './parts/githost/oauth-cases.ts'
import { plantedCases } from './parts/githost/planted-cases.ts'
import { ghCases, gitCases } from './parts/githost/program-cases.ts'
import { repositoryCases } from './parts/githost/repository-cases.ts'
import { restCases } from './parts/githost/rest-cases.ts'

export const claim =
  'the lab’s git host answers and delivers as GitHub’s own description says, to octokit, gh and git, and fails when told to'
export const kind = 'story'
export const quick = false

const FEWEST = { operations: 70, answers: 105, events: 12 }

export async function prove(): Promise<{ ok: boolean; figure: string; partial?: true }> {
  const tally: Tally = { passed: 0, failed: [], faults: [] }
  const versions: string[] = []
  const { gh, newerGh } = labPart('githost')
  const withGh = async (client: Client, program: string) => {
    if (existsSync(program)) versions.push(await ghCases(client, program))
  }
  const parts: Record<string, (client: Client) => Promise<unknown>> = {
    'people and repositories': restCases,
    'one repository': repositoryCases,
    apps: appCases,
    OAuth: oauthCases,
    git: gitCases,
    gh: (client) => withGh(client, gh),
    'gh of the next release': (client) => withGh(client, newerGh),
    faults: faultCases,
  }
  for (const [name, cases] of Object.entries(parts)) await runPart(name, cases, tally)
  const { planted, found } = await plantedCases()
  for (const fault of tally.faults) console.log(`  against the description: ${fault}`)
  const { operations, answers, undescribed, events, times } = held
  const described = answers.size - undescribed.size
  const enough = operations.size >= FEWEST.operations && described >= FEWEST.answers && events.size >= FEWEST.events
  const clean = tally.failed.length === 0 && tally.faults.length === 0 && found === planted
  const bars = `${operations.size} operations (at least ${FEWEST.operations}), ${described} answers by status (${FEWEST.answers}) and ${undescribed.size} common refusals that the operation does not list, ${events.size} events (${FEWEST.events})`
  const figure = `${bars}, held ${times} times against GitHub’s own description: ${tally.faults.length} faults; ${tally.passed} checks passed, ${tally.failed.length} failed, with octokit, git and gh ${versions.join(' and ')}; ${found} of ${planted} planted wrong answers caught`
  return { ok: enough && clean && versions.length > 0, figure, ...(versions.length < 2 && { partial: true }) }
}

async function runPart(name: string, cases: (client: Client) => Promise<unknown>, tally: Tally): Promise<void> {
  const client = await openClient(tally)
  const [began, before] = [performance.now(), tally.passed]
  try {
    await cases(client)
  } catch (error) {
    tally.failed.push(name)
    console.log(`  FAILED ${name}:`, error)
  } finally {
    await client.lab.stop()
  }
  console.log(`  ${name}: ${tally.passed - before} checks, ${((performance.now() - began) / 1000).toFixed(1)} s`)
}
