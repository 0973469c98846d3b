import type { Project } from '@slipway/contract/projects'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, isRefusal } from '../api/client.ts'
import { projectQuery } from '../api/projects.ts'
import { useWrite } from '../api/use-write.ts'
import { changedNames, clashesOf, type Draft, draftOf, patchOf, withTheirs } from './settings-draft.ts'

type Sent = { patch: ReturnType<typeof patchOf>; version: number }

/** The settings while somebody changes them. Optimistic locking: what others saved meanwhile is shown, never overwritten unseen. */
export function useSettings(project: Project) {
  const client = useQueryClient()
  const [base, setBase] = useState(project)
  const [draft, setDraft] = useState(() => draftOf(project))
  const from = draftOf(base)
  const isChanged = changedNames(from, draft).length > 0
  const restart = (now: Project) => {
    setBase(now)
    setDraft(draftOf(now))
  }
  const save = useWrite({
    send: ({ patch, version }: Sent) =>
      api.projects.update({ params: { id: project.id }, body: patch, headers: { 'if-match': `"${version}"` } }),
    refresh: [['project', project.id], ['projects']],
    onDone: (saved) => {
      client.setQueryData(projectQuery(project.id).queryKey, saved)
      restart(saved)
    },
  })
  // What nobody touches here follows what others save.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another version is news
  useEffect(() => {
    if (project.version <= base.version) return
    if (!isChanged) restart(project)
    // Another version, but nothing of what this form holds: there is nothing to choose between.
    else if (changedNames(from, draftOf(project)).length === 0) setBase(project)
  }, [project.version])
  const isStale = isRefusal(save.error) && save.error.status === 412 && project.version > base.version
  const send = (of: Draft = draft, on: Project = base) =>
    save.mutate({ patch: patchOf(draftOf(on), of), version: on.version })
  return {
    draft,
    isChanged,
    save,
    send: () => send(),
    change: (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part })),
    clashes: isStale ? clashesOf(from, draftOf(project), draft) : null,
    undo: () => {
      save.reset()
      restart(project)
    },
    takeTheirs: () => {
      save.reset()
      restart(project)
    },
    keepMine: () => {
      const merged = withTheirs(from, draftOf(project), draft)
      setBase(project)
      setDraft(merged)
      send(merged, project)
    },
  }
}
