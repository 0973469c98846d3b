/**
 * Which files of core make calls of the runtime that change an engine (docs/decisions/0046-a-deploy-is-data.md). What runs of a
 * project is changed by the executor of plans alone; the rest is listed here, with its reason.
 */
const CHANGING: Record<string, string[]> = {
  '': [
    ...['apply', 'restart', 'remove', 'withdraw', 'ensureNetwork', 'removeNetwork', 'putFiles', 'guard'],
    ...['freeNetworks', 'removeEnded', 'removeStrays', 'collectGarbage', 'close'],
  ],
  images: ['pull', 'remove', 'keep'],
  volumes: ['remove'],
  owner: ['claim', 'release', 'seize'],
}

/** Those that only look; together they are the interface, and a new method is put on one of the lists. */
const LOOKING: Record<string, string[]> = {
  '': [
    ...['serving', 'watch', 'observe', 'snapshot', 'specHash', 'holders', 'occupants', 'survey', 'tasks', 'usage'],
    ...['logs', 'overprivileged'],
  ],
  images: ['exists', 'inspect', 'offered', 'list'],
  volumes: ['list', 'mounting'],
  owner: ['read'],
}

const DEPLOYMENTS = 'server/src/core/deployments/'

type Allowed = { calls: string[]; why: string }
const ALLOWED: Record<string, Allowed> = {
  [`${DEPLOYMENTS}converge/execute.ts`]: {
    calls: ['apply', 'restart', 'remove', 'withdraw', 'volumes.remove', 'removeEnded'],
    why: 'carries out the operations of plans',
  },
  [`${DEPLOYMENTS}converge/ground.ts`]: {
    calls: ['ensureNetwork'],
    why: 'makes what a release stands on: as an operation, and once before the first look, for a gateway is in no plan',
  },
  [`${DEPLOYMENTS}rollout/guard-grants.ts`]: { calls: ['apply'], why: 'is a layer around the runtime' },
  'server/src/core/registries/sign-in.ts': { calls: ['apply', 'restart'], why: 'is a layer around the runtime' },
  [`${DEPLOYMENTS}rollout/copy-mounted-files.ts`]: {
    calls: ['putFiles'],
    why: 'brings files before the rollout; they are never undone',
  },
  [`${DEPLOYMENTS}rollout/drop-leftovers.ts`]: { calls: ['removeEnded'], why: 'removes containers that have ended' },
  [`${DEPLOYMENTS}converge/settle.ts`]: { calls: ['removeEnded'], why: 'removes containers that have ended' },
  [`${DEPLOYMENTS}converge/garbage.ts`]: {
    calls: ['collectGarbage', 'removeStrays'],
    why: 'removes what belongs to no project any more',
  },
  [`${DEPLOYMENTS}converge/compare.ts`]: { calls: ['owner.claim'], why: 'marks the engine of a server as ours again' },
  [`${DEPLOYMENTS}release/adopted-image.ts`]: {
    calls: ['images.keep', 'images.pull'],
    why: 'fetches an image or names it; nothing runs by it',
  },
  [`${DEPLOYMENTS}release/foreign-image.ts`]: { calls: ['images.pull'], why: 'fetches an image; nothing runs by it' },
  [`${DEPLOYMENTS}release/old-release.ts`]: { calls: ['images.pull'], why: 'fetches an image; nothing runs by it' },
  [`${DEPLOYMENTS}release/images.ts`]: { calls: ['images.remove'], why: 'removes images that no release needs' },
  [`${DEPLOYMENTS}verbs/project/forget.ts`]: {
    calls: ['images.remove'],
    why: 'removes images of a project that is gone',
  },
  'server/src/core/servers/claim.ts': { calls: ['owner.claim'], why: 'marks the engine of a server as ours' },
  'server/src/core/servers/manage.ts': { calls: ['owner.release'], why: 'takes the mark off a server that is removed' },
  'server/src/core/servers/guard-machines.ts': {
    calls: ['guard'],
    why: 'keeps containers from the machine’s own affair',
  },
  'server/src/core/servers/free-networks.ts': {
    calls: ['freeNetworks'],
    why: 'clears what an engine left behind when it was restarted',
  },
}

/** Calls of a file that are not its to make. */
export function foreignRuntimeCalls(file: string, text: string): string[] {
  if (!file.startsWith('server/src/core/') || /\.test\.ts$/.test(file)) return []
  const allowed = ALLOWED[file]?.calls ?? []
  return [...new Set(changingCalls(text))]
    .filter((call) => !allowed.includes(call))
    .map(
      (call) =>
        `${file} calls ${call} of the runtime, which changes an engine; make it an operation of a plan, or list the file in tools/runtime-calls.ts with its reason`,
    )
}

/** Files on the list that make a call no more. */
export const goneRuntimeCalls = (read: (file: string) => string | undefined): string[] =>
  Object.entries(ALLOWED).flatMap(([file, { calls }]) => {
    const made = changingCalls(read(file) ?? '')
    return calls
      .filter((call) => !made.includes(call))
      .map((call) => `tools/runtime-calls.ts lets ${file} call ${call}, which it does not; take it off the list`)
  })

function changingCalls(text: string): string[] {
  const found: string[] = []
  for (const [group, names] of Object.entries(CHANGING)) {
    const before = group === '' ? '\\bruntime' : `\\b${group}`
    const called = new RegExp(`${before}\\s*\\??\\.\\s*(${names.join('|')})\\s*\\(`, 'g')
    // Taken out of it, to be called by its bare name.
    const taken = new RegExp(`\\{([^{}]*)\\}\\s*=\\s*[\\w.]*${before}\\b`, 'g')
    const bare = [...text.matchAll(taken)].flatMap(([, list = '']) =>
      names.filter((one) => list.split(/\W+/).includes(one)),
    )
    for (const name of [...[...text.matchAll(called)].map(([, name = '']) => name), ...bare])
      found.push(group === '' ? name : `${group}.${name}`)
  }
  return found
}

/** The methods of an interface that are on neither list, or on one without being there. */
export function unlistedMethods(source: string): string[] {
  const body = source.slice(source.indexOf('export interface Runtime {'))
  const methods: string[] = []
  let group = ''
  for (const line of body.split('\n')) {
    const opened = /^ {2}(\w+): \{$/.exec(line)
    if (opened) group = opened[1] ?? ''
    else if (/^ {2}\}$/.test(line)) group = ''
    else if (/^\}$/.test(line)) break
    const method = /^ {2}(?: {2})?(\w+)\(/.exec(line)?.[1]
    if (method) methods.push(group === '' ? method : `${group}.${method}`)
  }
  const listed = [CHANGING, LOOKING].flatMap((list) =>
    Object.entries(list).flatMap(([of, names]) => names.map((name) => (of === '' ? name : `${of}.${name}`))),
  )
  return [...methods.filter((one) => !listed.includes(one)), ...listed.filter((one) => !methods.includes(one))]
}
