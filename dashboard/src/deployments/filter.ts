import { STATUS_CHOICES, type Status } from './words.ts'

export type Filter = { project?: string | undefined; status?: Status | undefined; branch?: string | undefined }

/** What the address says; anything it says wrong is passed over, because addresses are typed and shared by people. */
export function readFilter(search: Record<string, unknown>): Filter {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const status = STATUS_CHOICES.find(({ value }) => value === search.status)?.value
  const project = text(search.project)
  return {
    project: project && /^prj_\w+$/.test(project) ? project : undefined,
    status,
    branch: text(search.branch)?.slice(0, 250),
  }
}
