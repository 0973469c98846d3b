import { useQuery } from '@tanstack/react-query'
import { serversQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { TextArea } from '../ui/forms/text-area.tsx'
import { Tick } from '../ui/forms/tick.tsx'
import { Card } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { type Clash, DRAFT_LABELS, type Draft, type DraftName } from './settings-draft.ts'

type Props = { draft: Draft; problems: Partial<Record<DraftName, string>>; change(part: Partial<Draft>): void }

export function SettingsFields(props: Props) {
  return (
    <>
      <Identity {...props} />
      <Pushes {...props} />
      <Releases {...props} />
    </>
  )
}

/** A field of the draft that is a text. */
function textOf({ draft, problems, change }: Props, name: Exclude<DraftName, Switch>) {
  return {
    label: DRAFT_LABELS[name],
    value: draft[name],
    problem: problems[name] ?? null,
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  }
}

type Switch = 'autoDeploy' | 'reportStatus' | 'approveBuild' | 'approveRelease'

const Switched = ({ of: { draft, change }, name, says }: { of: Props; name: Switch; says: string }) => (
  <Tick checked={draft[name]} onChange={(event) => change({ [name]: event.currentTarget.checked })}>
    {says}
  </Tick>
)

function Identity(props: Props) {
  const { data: servers = [] } = useQuery(serversQuery)
  const choices = servers.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Section title="Project">
      <Card className="grid gap-4 p-4 sm:grid-cols-2">
        <Field {...textOf(props, 'name')} required maxLength={80} autoComplete="off" />
        <Choice
          {...textOf(props, 'serverId')}
          choices={[{ value: '', label: 'None chosen' }, ...choices]}
          hint="Where its next deployment goes; none chosen is enough where there is only one. What runs does not move by itself, and neither does its data."
        />
      </Card>
    </Section>
  )
}

function Pushes(props: Props) {
  return (
    <Section title="Source" note="Where the code is, and what a push does.">
      <Card className="space-y-4 p-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            {...textOf(props, 'repository')}
            autoComplete="off"
            spellCheck={false}
            placeholder="https://git.example.com/acme/shop"
            hint="Empty: none is linked. No credentials in it."
          />
          <Field {...textOf(props, 'branch')} autoComplete="off" spellCheck={false} placeholder="its default branch" />
        </div>
        <div className="space-y-2">
          <Switched of={props} name="autoDeploy" says="A push to the branch deploys it" />
          <Switched of={props} name="reportStatus" says="The git host is told how deployments end" />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextArea
            {...textOf(props, 'watchPaths')}
            placeholder={'apps/shop/**\n!**/*.md'}
            hint="One pattern in a line; ! excludes. Empty: every push."
          />
          <TextArea {...textOf(props, 'skipWords')} hint="In the message of the newest commit, one in a line." />
        </div>
      </Card>
    </Section>
  )
}

function Releases(props: Props) {
  return (
    <Section title="Releases">
      <Card className="space-y-4 p-4">
        <div className="space-y-2">
          <Switched of={props} name="approveBuild" says="Somebody approves each build before it begins" />
          <Switched of={props} name="approveRelease" says="Somebody approves each release before visitors get it" />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            {...textOf(props, 'rollbackWindow')}
            type="number"
            required
            min={1}
            max={50}
            hint="So many keep their images, so that going back takes moments."
          />
          <Field
            {...textOf(props, 'bakeSeconds')}
            type="number"
            required
            min={0}
            max={3600}
            hint="After it is ready. One that does not hold is replaced by the release before."
          />
        </div>
      </Card>
    </Section>
  )
}

type ClashProps = { clashes: Clash[]; busy: boolean; onTheirs(): void; onMine(): void }

/** Somebody else saved first: both are there to be looked at, and nothing was overwritten. */
export function Clashes({ clashes, busy, onTheirs, onMine }: ClashProps) {
  return (
    <div role="alert" className="mb-4 rounded-xl border border-ask-mark/50 bg-surface p-4 shadow-card">
      <p className="font-semibold text-ask">
        Somebody else changed the project meanwhile. Nothing of yours is saved yet.
      </p>
      <table className="mt-3 w-full text-left text-xs">
        <thead className="text-faint">
          <tr className="[&>th]:py-1 [&>th]:pr-3 [&>th]:font-medium">
            <th scope="col">Setting</th>
            <th scope="col">Now</th>
            <th scope="col">Here</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {clashes.map(({ name, mine, theirs }) => (
            <tr key={name} className="align-top [&>*]:py-1.5 [&>*]:pr-3">
              <th scope="row" className="font-medium">
                {DRAFT_LABELS[name]}
              </th>
              <td className="break-words">{theirs}</td>
              <td className="break-words">{mine}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="primary" busy={busy} onClick={onMine}>
          Save what I changed
        </Button>
        <Button onClick={onTheirs}>Take what is there now</Button>
      </div>
    </div>
  )
}
