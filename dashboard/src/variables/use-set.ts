import { api } from '../api/client.ts'
import { variablesQuery } from '../api/projects.ts'
import { useWrite } from '../api/use-write.ts'
import type { Scope } from './variable.ts'

export type SetVariable = { name: string; value: string; service: string | null; scope: Scope }

export const useSet = (projectId: string, onDone: () => void) =>
  useWrite({
    send: (variables: SetVariable[]) => api.variables.set({ params: { id: projectId }, body: { variables } }),
    refresh: [
      variablesQuery(projectId).queryKey,
      ['project', projectId, 'services'],
      ['project', projectId, 'pending'],
    ],
    onDone,
  })
