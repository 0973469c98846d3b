import type { Project } from '@slipway/contract/projects'
import { useBlocker } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { isRefusal } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useMay } from '../api/use-may.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { DeleteProject } from './delete-project.tsx'
import { GitAccess } from './git-access.tsx'
import { DRAFT_LABELS, type DraftName } from './settings-draft.ts'
import { Clashes, SettingsFields } from './settings-fields.tsx'
import { useSettings } from './use-settings.ts'

const NAMES = Object.keys(DRAFT_LABELS) as DraftName[]

export function SettingsSide({ project }: { project: Project }) {
  const may = useMay()
  const { draft, change, isChanged, save, send, clashes, takeTheirs, keepMine, undo } = useSettings(project)
  const { at, rest } = problemsIn(unprefixed(save.error), NAMES)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged && !save.isPending) send()
  }
  return (
    <>
      <form onSubmit={submit}>
        <SettingsFields draft={draft} problems={at} change={change} />
        {clashes ? (
          <Clashes clashes={clashes} onTheirs={takeTheirs} onMine={keepMine} busy={save.isPending} />
        ) : (
          <Refused error={rest} className="mb-4" />
        )}
        <div className="mb-10 flex flex-wrap items-center gap-2">
          <GatedButton
            type="submit"
            look="primary"
            reason={may('project:write')}
            busy={save.isPending}
            disabled={!isChanged}
          >
            Save
          </GatedButton>
          {isChanged && <Button onClick={undo}>Undo the changes</Button>}
          {!isChanged && save.isSuccess && (
            <p role="status" className="text-xs text-soft">
              Saved. The next deployment is made with it.
            </p>
          )}
        </div>
      </form>
      <GitAccess project={project} />
      <Section
        title="Delete the project"
        note="Its settings, names, variables and history go. Volumes stay, unless you say otherwise."
      >
        <DeleteProject project={project} />
      </Section>
      <Leaving isChanged={isChanged} />
    </>
  )
}

/** The server says `settings.bakeSeconds` where the form has `bakeSeconds`. */
function unprefixed(error: unknown): unknown {
  if (!isRefusal(error) || !error.body.field?.startsWith('settings.')) return error
  const [, field = ''] = error.body.field.split('.')
  return Object.assign(Object.create(error), { body: { ...error.body, field } })
}

/** Nobody loses what they typed by a slip. */
function Leaving({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Confirm
      open
      title="Leave without saving?"
      consequences={['What you changed here is not saved, and is gone.', 'The project stays as it is.']}
      verb="Leave without saving"
      busy={false}
      error={null}
      onConfirm={proceed}
      onClose={reset}
    />
  )
}
