import { ProjectSettings } from '@slipway/contract/projects'
import { Refusal } from '../../../errors.ts'
import { openCredential, secretsOf } from '../../projects/git-credential.ts'
import * as promotions from '../promotion-store.ts'
import type { Ask } from './ask-cloud.ts'
import { type Promoting, perform } from './perform.ts'
import { takeBack } from './take-back.ts'

const PROJECTS = '/api/projects'
const pathOf = (id: string) => `${PROJECTS}/${encodeURIComponent(id)}`

/**
 * The project there, with the id that it has here: repeated, it makes no second one. One that is there already is taken only where it came
 * from here, which `cloud_project_id` says. Pushes are decided here, so none deploys it there.
 */
export async function makeProject(promoting: Promoting): Promise<void> {
  const { project, promotion, parts, run } = promoting
  const path = pathOf(project.id)
  const known = await perform(promoting, 'look', async (ask) => {
    if (project.cloudProjectId !== null) return true
    if ((await ask({ method: 'GET', path, expects: [404] })).status === 404) return false
    throw notOurs()
  })
  await perform(
    promoting,
    'project',
    async (ask) => {
      const { name, repository, branch, settings } = project
      const gitCredential = repository === null ? null : openCredential(parts, project, repository)
      const secrets = secretsOf(parts, project)
      const wanted = {
        ...{ name, repository, branch, gitCredential },
        settings: { ...ProjectSettings.parse(settings), autoDeploy: false },
      }
      const { body } = await ask({ method: 'POST', path: PROJECTS, json: { id: project.id, ...wanted }, secrets })
      await requireSameId(ask, project.id, (body as { id: string }).id)
      // One from before has what it had then, and so has one that an owner before this one made.
      if (known || run.since('project') !== undefined) await ask({ method: 'PATCH', path, json: wanted, secrets })
    },
    {
      onStart: (tx) => promotions.setCloudProject(tx, promotion),
      undo: (ask, because) => takeBack(promoting, ask, because),
    },
  )
}

/** A cloud that takes no ids from instances has made one with another. */
async function requireSameId(ask: Ask, wanted: string, made: string): Promise<void> {
  if (made === wanted) return
  await ask({ method: 'DELETE', path: `${pathOf(made)}?volumes=delete`, expects: [404] })
  throw new Refusal('conflict', 'The hosted cloud is of a version to which projects cannot be promoted.', {
    hint: 'Whoever runs it upgrades it; then promote again.',
  })
}

const notOurs = () =>
  new Refusal('conflict', 'The hosted cloud has a project with this id that was not promoted from here.', {
    hint: 'Whoever may at the cloud deletes it there; then promote again.',
  })
