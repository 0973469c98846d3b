import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Serving } from '@slipway/contract/serving'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { servingQuery } from '../../api/projects.ts'
import { activeOfQuery } from '../../api/queries.ts'
import { servingInWords } from './serving-words.ts'

/** What visitors get now: the question behind every look at this page. Until the engine has said it, what is written down. */
export function ServingNote({ deployment }: { deployment: Deployment }) {
  const { data: serving } = useQuery(servingQuery(deployment.projectId))
  const said = serving && servingInWords(deployment, serving)
  if (!serving || serving.seenAt === null || serving.target === 'cloud') return <ReleaseNote deployment={deployment} />
  if (!said) return null
  return (
    <Note>
      {serving.unreachable && <span className="text-ask">As of {timeOf(serving.seenAt)}: </span>}
      <Linked text={said} active={serving.active} />
    </Note>
  )
}

/** Which release is the active one, where it is another: as the API has it, and nothing derived from it. */
function ReleaseNote({ deployment }: { deployment: Deployment }) {
  const { data: active } = useQuery(activeOfQuery(deployment.projectId))
  if (deployment.active || active === undefined || active?.id === deployment.id) return null
  if (active === null) return <Note>The project has no active release yet.</Note>
  return (
    <Note>
      <Linked text={`The active release is #${active.number}.`} active={active} />
    </Note>
  )
}

/** The number of a release in a sentence leads to it. */
function Linked({ text, active }: { text: string; active: Serving['active'] }) {
  const [before, after] = active ? text.split(`#${active.number}`) : [text]
  if (!active || after === undefined) return text
  return (
    <>
      {before}
      <Link
        to="/deployments/$id"
        params={{ id: active.id }}
        className="font-medium text-ink underline underline-offset-2 num"
      >
        #{active.number}
      </Link>
      {after}
    </>
  )
}

const Note = ({ children }: { children: ReactNode }) => <span className="text-xs text-soft">{children}</span>
const timeOf = (at: string) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
