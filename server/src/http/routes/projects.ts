import { projects } from '@slipway/contract/projects'
import { services, variables } from '@slipway/contract/services'
import { deleteProject } from '../../core/deployments/verbs/project/delete.ts'
import { listVolumes } from '../../core/deployments/verbs/project/volumes.ts'
import type { Platform } from '../../core/platform.ts'
import { ensureProject } from '../../core/projects/ensure.ts'
import { createProject, listProjects, showProject, updateProject } from '../../core/projects/manage.ts'
import { listServices, putService, removeService } from '../../core/projects/services.ts'
import { listVariables, removeVariable, revealVariables, setVariables } from '../../core/projects/variables.ts'
import { aborted } from '../abort-on-disconnect.ts'
import { on, type Route } from '../route.ts'

export const projectRoutes = (platform: Platform): Route[] => [
  on(projects.list, ({ caller, query }) => listProjects(platform, caller, query)),
  on(projects.create, ({ caller, body }) => createProject(platform, caller, body)),
  on(projects.ensure, ({ caller, body }) => ensureProject(platform, caller, body)),
  on(projects.show, ({ caller, params }) => showProject(platform, caller, params.id)),
  on(projects.update, ({ caller, params, body, ifMatch }) => updateProject(platform, caller, params.id, body, ifMatch)),
  on(projects.volumes, ({ caller, params, reply }) => listVolumes(platform, caller, params.id, aborted(reply))),
  on(projects.remove, ({ caller, params, query }) => deleteProject(platform, caller, params.id, query.volumes)),

  on(services.list, ({ caller, params, query }) => listServices(platform, caller, params.id, query)),
  on(services.put, ({ caller, params, body }) => putService(platform, caller, params.id, params.name, body)),
  on(services.remove, ({ caller, params }) => removeService(platform, caller, params.id, params.name)),

  on(variables.list, ({ caller, params, query }) => listVariables(platform, caller, params.id, query)),
  on(variables.set, ({ caller, params, body }) => setVariables(platform, caller, params.id, body.variables)),
  on(variables.reveal, ({ caller, params }) => revealVariables(platform, caller, params.id)),
  on(variables.remove, ({ caller, params, query }) =>
    removeVariable(platform, caller, params.id, params.name, query.service),
  ),
]
