import type { PendingDecision } from '@slipway/contract/decisions'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { wasReleased } from '@slipway/contract/deployment-states'
import type { DeploymentPlan } from '@slipway/contract/plan'

/** What is done only after somebody has read what it means. */
export type Asked = 'cancel' | 'rollback' | 'restart' | 'unpin' | 'remove' | 'keep' | 'reject'

type Told = Pick<Deployment, 'services' | 'status' | 'decision'>

/** What the sentences hang on besides the deployment itself. */
export type Known = {
  /** The active release of its project; null: there is none, undefined: not known yet. */
  before: { number: number } | null | undefined
  /** So many deployments of the project are queued behind it. */
  waiting: number
  /** What a push does now; `never`: the project has no repository, or is not deployed by pushes. */
  pushes: 'deploy' | 'paused' | 'never'
  /** What each way out of a decision means for each service. */
  fates: PendingDecision['services'] | undefined
}
export const NOTHING_KNOWN: Known = { before: undefined, waiting: 0, pushes: 'never', fates: undefined }

/** What will be different and what stays, a sentence each; every one of them true in this very state. */
export function consequencesOf(asked: Asked, told: Told, known: Known): string[] {
  switch (asked) {
    case 'cancel':
      return cancelInWords(told, known)
    case 'rollback':
      return [
        'Variables and settings of that release hold again.',
        'Databases and volumes stay as they are: a rollback brings back code, not data.',
        ...PUSHES[known.pushes],
      ]
    case 'restart':
      return [
        'Its containers are replaced by new ones of the same release, one service after the other.',
        'One that keeps data in a volume or holds a port of its server stops before its new container starts: visitors notice a short gap.',
        'Nothing is built. The release, its variables, its names and its volumes stay as they are.',
      ]
    case 'unpin':
      return [
        'When it is no longer among the releases to go back to, its images are removed from the server.',
        'Going back to it then builds them again first, which takes longer.',
        serving(known.before),
      ]
    case 'remove':
      return [
        'Its log, its history and its place in the list are gone.',
        ...(wasReleased(told) ? ['Nobody can go back to it any more.'] : []),
        serving(known.before),
      ]
    case 'keep':
      return keepInWords(told, known)
    case 'reject':
      return rejectInWords(told, known)
  }
}

const PUSHES = {
  deploy: ['Automatic deployment of pushes pauses until you resume it.'],
  paused: ['Automatic deployment of pushes stays paused.'],
  never: [],
}

/** Of what is not begun, or does not get as far as the server. */
export function serving(before: Known['before']): string {
  if (before === null) return 'Nothing serves now, and that stays so.'
  return before ? `What serves now, #${before.number}, is not touched.` : 'What serves now is not touched.'
}

/** How many are queued, besides this one. */
export const waitingBehind = (underWay: Pick<Deployment, 'id' | 'status'>[], id: string): number =>
  underWay.filter((one) => one.status === 'queued' && one.id !== id).length

/** Who waits for this one to end. */
export const startInWords = (waiting: number): string[] =>
  waiting === 0
    ? []
    : [waiting === 1 ? 'The deployment that waits starts.' : `The ${waiting} deployments that wait start.`]

function cancelInWords({ status, services }: Told, { before }: Known): string[] {
  if (status === 'queued') return ['It is not begun.', serving(before)]
  if (status !== 'deploying') return ['It stops, and nothing of it runs.', serving(before)]
  if (before === null) return ['What it has started stops and goes. Volumes stay, with what is in them.', NO_WAY_BACK]
  const release = before ? `#${before.number}` : 'the release before'
  return [
    `Services that it has changed go back to ${release}.`,
    ...gone(services.filter(({ previous }) => previous === null).map(({ name }) => name)),
    `Names lead to ${release}, as before. Volumes stay, with what is in them.`,
  ]
}

function keepInWords({ services }: Told, { fates, waiting }: Known): string[] {
  const isLeftOut = (name: string) => fateIn(fates, name)?.ifKept === null
  const isNew = (one: Service) => isUp(one) && !isAsBefore(fateIn(fates, one.name))
  const others = services.filter((one) => !isNew(one)).map(({ name }) => name)
  return [
    ...said(
      services.filter(isNew).map(({ name }) => name),
      'stays',
      'stay',
      'on the new version.',
    ),
    ...said(
      others.filter((name) => !isLeftOut(name)),
      'stays',
      'stay',
      'as before.',
    ),
    ...said(others.filter(isLeftOut), 'is', 'are', 'left out: there was none before.'),
    ['This becomes the live release.', ...startInWords(waiting)].join(' '),
  ]
}

function rejectInWords({ services }: Told, { fates, before, waiting }: Known): string[] {
  const up = services.filter((one) => isUp(one) && !isAsBefore(fateIn(fates, one.name)))
  const isFirst = ({ name, previous }: Service) => (fateIn(fates, name) ?? { ifRejected: previous }).ifRejected === null
  const stays = before ? `#${before.number} stays the live release.` : 'The release before stays live.'
  return [
    ...said(
      up.filter((one) => !isFirst(one)).map(({ name }) => name),
      'goes',
      'go',
      'back to the version from before.',
    ),
    ...gone(up.filter(isFirst).map(({ name }) => name)),
    [before === null ? NO_WAY_BACK : stays, ...startInWords(waiting)].join(' '),
    'Volumes stay, with what is in them.',
  ]
}

type Service = Told['services'][number]
type Fate = PendingDecision['services'][number]

const NO_WAY_BACK = 'There is no release to go back to: visitors get nothing.'
const fateIn = (fates: Fate[] | undefined, name: string) => fates?.find((one) => one.name === name)
/** It came through the rollout untouched. */
const isAsBefore = (fate: Fate | undefined) => fate?.runs != null && fate.runs.deploymentId === fate.ran?.deploymentId
const isUp = ({ status }: Service) => status === 'healthy'
const said = (names: string[], one: string, many: string, what: string): string[] =>
  names.length === 0 ? [] : [`${listed(names)} ${names.length === 1 ? one : many} ${what}`]
const gone = (names: string[]) => said(names, 'goes:', 'go:', 'there was none before.')

type Looked = { data?: { plan: DeploymentPlan; rebuilt: string[] } | undefined; isPending: boolean; isError: boolean }

/** What a rollback would do by what the server shows now, as far as it could be looked at. */
export function planInWords({ data, isPending, isError }: Looked): string[] {
  if (isPending) return ['Looking at what would change on the server …']
  if (isError || !data) return ['What would change on the server could not be looked at now.']
  const { plan, rebuilt } = data
  const changed = [...plan.created, ...plan.replaced]
  const said = [
    changed.length > 0 && `${listed(changed)} ${changed.length === 1 ? 'is' : 'are'} replaced by what ran then.`,
    plan.removed.length > 0 &&
      `${listed(plan.removed)} ${plan.removed.length === 1 ? 'goes' : 'go'}: that release has no such service.`,
    ...gapsInWords(plan),
    rebuilt.length > 0 && `The image of ${listed(rebuilt)} is gone and is built again first, which takes longer.`,
  ].filter((one) => one !== false)
  return said.length > 0 ? said : ['No container is replaced: what runs is as it was then.']
}

/** What visitors notice of a plan; nothing where none is known. */
export function gapsInWords(plan: Pick<DeploymentPlan, 'interrupted'> | null | undefined): string[] {
  const stopped = plan?.interrupted.map(({ service }) => service) ?? []
  return stopped.length === 0 ? [] : [`${listed(stopped)} cannot run twice at once, so visitors notice a short gap.`]
}

/** `web`, `web and api`, `web, api and worker`. */
export const listed = (names: string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
