import { git, ZERO } from '../git/run.ts'
import { now } from '../host.ts'
import type { Account, Host, Json, Repository } from '../model.ts'
import { simpleUser } from '../shapes/account.ts'
import { fullRepository, repositoryPage } from '../shapes/repository.ts'
import { tellRepository } from './tell.ts'

type Pushed = {
  id: string
  message: string
  timestamp: string
  author: { name: string; email: string }
  added: string[]
  removed: string[]
  modified: string[]
}
/** `forced` and `commits` are found out where they are not said. */
export type Move = { ref: string; before: string; after: string; forced?: boolean; commits?: Pushed[] }

const MOST_COMMITS = 2048
const MOST_TAGS = 3
const MOST_BRANCHES = 5000

/** One `push` for each moved branch or tag; of many at once nothing is told, as documented. */
export async function tellPush(host: Host, repository: Repository, moves: Move[], pusher: Account): Promise<void> {
  repository.pushedAt = now()
  repository.updatedAt = repository.pushedAt
  const below = (start: string) => moves.filter(({ ref }) => ref.startsWith(start))
  const [tags, branches] = [below('refs/tags/'), below('refs/heads/')]
  const told = [...(branches.length > MOST_BRANCHES ? [] : branches), ...(tags.length > MOST_TAGS ? [] : tags)]
  for (const move of told) {
    const more = await pushPayload(host, repository, move, pusher)
    tellRepository(host, repository, { event: 'push', sender: pusher, more })
  }
}

async function pushPayload(host: Host, repository: Repository, move: Move, pusher: Account): Promise<Json> {
  const { ref, before, after } = move
  const html = repositoryPage(host, repository)
  const commits = (move.commits ?? (await commitsBetween(repository, move))).map(
    ({ author: { name, email }, ...one }) => {
      const author = { name, email, username: pusher.login }
      return { ...one, tree_id: one.id, distinct: true, url: `${html}/commit/${one.id}`, author, committer: author }
    },
  )
  const [created, deleted] = [before === ZERO, after === ZERO]
  const range = created ? `commit/${after.slice(0, 12)}` : `compare/${before.slice(0, 12)}...${after.slice(0, 12)}`
  return {
    ref,
    before,
    after,
    repository: pushedRepository(host, repository),
    pusher: { name: pusher.login, email: `${pusher.login}@users.noreply.${host.name}` },
    created,
    deleted,
    forced: created || deleted ? false : (move.forced ?? !(await isAncestor(repository, before, after))),
    base_ref: null,
    compare: `${html}/${range}`,
    commits: commits.slice(-MOST_COMMITS),
    head_commit: deleted ? null : (commits.at(-1) ?? null),
  }
}

/** In this one event the repository has times as numbers and its page as its address. */
function pushedRepository(host: Host, repository: Repository): Json {
  const { owner, createdAt, pushedAt, defaultBranch } = repository
  const number = (time: string) => Math.floor(Date.parse(time) / 1000)
  return {
    ...fullRepository(host, repository),
    owner: { ...simpleUser(host, owner), name: owner.login, email: null },
    url: repositoryPage(host, repository),
    created_at: number(createdAt),
    pushed_at: number(pushedAt ?? createdAt),
    stargazers: 0,
    master_branch: defaultBranch,
    ...(owner.type === 'Organization' && { organization: owner.login }),
  }
}

const isAncestor = (repository: Repository, a: string, b: string) =>
  git(repository, 'merge-base', '--is-ancestor', a, b).then(
    () => true,
    () => false,
  )

const LOG = ['log', '--reverse', '--name-status', '-z', '--no-renames']
const FORMAT = '--format=%x01%H%x02%cI%x02%an%x02%ae%x02%B%x03'

async function commitsBetween(repository: Repository, { before, after }: Move): Promise<Pushed[]> {
  if (after === ZERO) return []
  const range = before === ZERO ? [after, '-n', '20'] : [`${before}..${after}`, '-n', String(MOST_COMMITS)]
  const text = await git(repository, ...LOG, FORMAT, ...range, '--').catch(() => '')
  return text.split('\x01').slice(1).map(readCommit)
}

function readCommit(text: string): Pushed {
  const [head = '', files = ''] = text.split('\x03')
  const [id = '', timestamp = '', name = '', email = '', message = ''] = head.split('\x02')
  const words = files
    .replace(/^\s+/, '')
    .split('\0')
    .filter((word) => word !== '' && word !== '\n')
  const pairs = words.flatMap((kind, at) => (at % 2 === 0 ? [{ kind: kind.trim(), path: words[at + 1] ?? '' }] : []))
  const of = (kinds: string) => pairs.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path)
  const author = { name, email }
  return { id, timestamp, author, message: message.trim(), added: of('A'), removed: of('D'), modified: of('MT') }
}
