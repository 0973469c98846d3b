import type { Deployment } from '@slipway/contract/deployment-shape'
import type { DeploymentPlan } from '@slipway/contract/plan'

/** What is done only after somebody has read what it means. */
export type Asked = 'cancel' | 'rollback' | 'restart' | 'remove' | 'keep' | 'reject'

type Told = Pick<Deployment, 'services' | 'status'>

/** What will be different and what stays, a sentence each; every one of them true in this very state. */
export function consequencesOf(asked: Asked, { services, status }: Told): string[] {
  const up = services.filter((one) => one.status === 'healthy').map(({ name }) => name)
  const down = services.filter((one) => one.status !== 'healthy').map(({ name }) => name)
  switch (asked) {
    case 'cancel':
      return status === 'deploying'
        ? ['Services that it has changed go back to the release before.', 'Names keep leading to the release before.']
        : ['It stops, and nothing of it runs.', 'What serves now is not touched.']
    case 'rollback':
      return [
        'Variables and settings of that release hold again.',
        'Databases and volumes stay as they are: a rollback brings back code, not data.',
        'Automatic deployment of pushes pauses until you resume it.',
      ]
    case 'restart':
      return ['Its containers are replaced by new ones of the same release, one after the other.', 'Nothing is built.']
    case 'remove':
      return ['Its log, its history and its place in the list are gone.', 'What serves now is not touched.']
    case 'keep':
      return [
        ...(up.length > 0 ? [`${listed(up)} ${up.length === 1 ? 'stays' : 'stay'} on the new version.`] : []),
        ...(down.length > 0 ? [`${listed(down)} ${down.length === 1 ? 'stays' : 'stay'} as before.`] : []),
        'This becomes the live release. Deployments that waited start.',
      ]
    case 'reject':
      return [
        ...(up.length > 0 ? [`${listed(up)} ${up.length === 1 ? 'goes' : 'go'} back to the version from before.`] : []),
        'The release before stays live. Deployments that waited start.',
      ]
  }
}

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
