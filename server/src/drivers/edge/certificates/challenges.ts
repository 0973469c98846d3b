import { upload } from '../archive.ts'
import { EDGE_ROOT } from '../config.ts'
import { edgeFailure } from '../edge.ts'
import { removeFiles } from '../inside.ts'
import { type EdgeScope, isGone, runningEdge } from '../running.ts'

const CHALLENGES = 'challenge'
const TOKEN = /^[A-Za-z0-9_-]{1,200}$/
const ANSWER = /^[A-Za-z0-9_.-]{1,500}$/
const MOST_ROUNDS = 5

export async function putChallenge(scope: EdgeScope, token: string, keyAuthorization: string): Promise<void> {
  if (!ANSWER.test(keyAuthorization)) throw invalid('The answer to a challenge has other signs than it may have.')
  const file = { path: `${CHALLENGES}/${tokenOf(token)}`, body: keyAuthorization }
  await onEdge(scope, (container) => upload(container, [file], scope.signal))
}

export async function removeChallenge(scope: EdgeScope, token: string): Promise<void> {
  const path = `${EDGE_ROOT}/${CHALLENGES}/${tokenOf(token)}`
  await onEdge(scope, (container) => removeFiles(container, [path], scope.signal))
}

function tokenOf(token: string): string {
  if (TOKEN.test(token)) return token
  throw invalid(`${JSON.stringify(token.slice(0, 200))} is not a challenge's token.`)
}

const invalid = (message: string) => edgeFailure('challenge_invalid', message)

type Container = Awaited<ReturnType<typeof runningEdge>>['container']

/** A container that ends meanwhile has a successor with the same volume. */
async function onEdge(scope: EdgeScope, work: (container: Container) => Promise<void>): Promise<void> {
  for (let round = 1; ; round += 1) {
    const { container } = await runningEdge(scope)
    try {
      return await work(container)
    } catch (error) {
      if (round === MOST_ROUNDS || !isGone(error)) throw error
    }
  }
}
