import type { Call } from './client.ts'
import type { Named } from './githost.ts'
import type { FailedDelivery, PushSession, SeenHead, WantedHead } from './push-session.ts'
import { listIn, type Raw } from './shapes.ts'

const REPO = '/repos/{owner}/{repo}'
/** As many as the host lists in a comparison; there may be more. */
const MOST_FILES = 300
const MOST_HEADS = 100
const at = ({ owner, name }: Named) => ({ owner, repo: name })

export function pushSession(call: Call, graphql: Call, graphqlUrl: string): PushSession {
  return {
    async heads(wanted) {
      const found: SeenHead[] = []
      for (let from = 0; from < wanted.length; from += MOST_HEADS) {
        const some = wanted.slice(from, from + MOST_HEADS)
        const { data } = await graphql(`POST ${graphqlUrl}`, { query: queryOf(some) })
        const answers = ((data as Raw).data ?? {}) as Raw
        found.push(...some.map((_, index) => headIn(answers[`r${index}`])))
      }
      return found
    },
    async commitMessage(of, sha) {
      const { data } = await call(`GET ${REPO}/git/commits/{sha}`, { ...at(of), sha })
      return String((data as Raw).message ?? '')
    },
    async changedFiles(of, base, head) {
      const { data } = await call(`GET ${REPO}/compare/{basehead}`, { ...at(of), basehead: `${base}...${head}` })
      const files = listIn((data as Raw).files)
      if (files.length >= MOST_FILES) return null
      return files.flatMap(({ filename, previous_filename }) =>
        [filename, previous_filename].filter((name) => typeof name === 'string'),
      )
    },
    async setStatus(of, sha, { context, state, description, targetUrl }) {
      const more = targetUrl === null ? {} : { target_url: targetUrl }
      await call(`POST ${REPO}/statuses/{sha}`, { ...at(of), sha, context, state, description, ...more })
    },
    async addDeployment(of, sha, environment, id) {
      // Our own pending status would stop our own deployment otherwise.
      const plain = { ref: sha, environment, required_contexts: [], auto_merge: false, payload: { id } }
      const { data } = await call(`POST ${REPO}/deployments`, { ...at(of), ...plain })
      return Number((data as Raw).id)
    },
    async setDeployment(of, id, { state, logUrl, environmentUrl }) {
      const urls = { ...(logUrl && { log_url: logUrl }), ...(environmentUrl && { environment_url: environmentUrl }) }
      await call(`POST ${REPO}/deployments/{id}/statuses`, { ...at(of), id, state, ...urls })
    },
  }
}

/** Names go in as JSON texts, which are GraphQL's own. */
const queryOf = (wanted: WantedHead[]) =>
  `{ ${wanted
    .map(
      ({ owner, name, ref }, index) =>
        `r${index}: repository(owner: ${JSON.stringify(owner)}, name: ${JSON.stringify(name)}) { databaseId ` +
        `defaultBranchRef { name } ref(qualifiedName: ${JSON.stringify(ref)}) { target { oid } } }`,
    )
    .join(' ')} }`

function headIn(raw: unknown): SeenHead {
  if (raw === null || raw === undefined) return undefined
  const { databaseId, defaultBranchRef, ref } = raw as {
    databaseId: number
    defaultBranchRef?: Raw | null
    ref?: Raw | null
  }
  const oid = (ref?.target as Raw | undefined)?.oid
  const branch = defaultBranchRef?.name
  return {
    sha: typeof oid === 'string' ? oid : null,
    repoId: Number(databaseId),
    defaultBranch: typeof branch === 'string' ? branch : null,
  }
}

/** Deliveries of an app that failed, newest first. */
export async function failedDeliveries(call: Call): Promise<FailedDelivery[]> {
  const { data } = await call('GET /app/hook/deliveries', { per_page: 100, status: 'failure' })
  return listIn(data).map(({ guid, event, repository_id, delivered_at }) => ({
    guid: String(guid),
    event: String(event),
    repoId: typeof repository_id === 'number' ? repository_id : null,
    at: new Date(String(delivered_at)),
  }))
}
