import type { Deployment, DeploymentError, DeploymentSource } from '@slipway/contract/deployment-shape'
import type { Output } from './output.ts'

/** Of what it was made: a commit, an upload, an image. */
export function sourceWords({ kind, commitSha, commitMessage, branch, image, repo }: DeploymentSource): string {
  if (image !== undefined) return image
  if (kind === 'upload') return 'upload'
  const commit = commitSha?.slice(0, 7)
  const told = commitMessage?.split('\n')[0]
  return [told ? null : branch, commit, told].filter(Boolean).join(' ') || repo || kind
}

/** What is new in it, as whoever began it said, or else what it is made of. */
export const aboutWords = ({ message, source }: Deployment): string => message ?? sourceWords(source)

export function statusWords({ status, decision, error, waitingOn }: Deployment): string {
  if (status === 'partial_failure') return decision === 'pending' ? 'partial: decide' : `partial → ${decision ?? ''}`
  if (waitingOn) return `${status}: waits`
  return status === 'failed' && error?.step ? `failed  ${error.step}` : status
}

export function statusColour(out: Output, { status, waitingOn }: Deployment, text: string): string {
  if (waitingOn || status === 'partial_failure') return out.paint('yellow', text)
  if (status === 'ready') return out.paint('green', text)
  if (status === 'failed' || status === 'rejected') return out.paint('red', text)
  return ['queued', 'building', 'deploying'].includes(status) ? out.paint('cyan', text) : out.paint('dim', text)
}

/** How long it took from its start to its end, or has taken so far. */
export function tookMs({ timing }: Deployment, now = Date.now()): number | null {
  if (timing.startedAt === null) return null
  return (timing.finishedAt === null ? now : Date.parse(timing.finishedAt)) - Date.parse(timing.startedAt)
}

type Line = { seq: number; line: string }
type Card = { lines: Line[]; serving: Deployment | null }

/** Why it failed, where it shows, what still serves, and what to do. */
export function failureCard(out: Output, deployment: Deployment, { lines, serving }: Card): string[] {
  const { number, status, error } = deployment
  const where = [error?.step && `in ${error.step.split(':')[0]}`, error?.service && `of ${error.service}`].filter(
    Boolean,
  )
  const head = [status.replace('_', ' '), ...where].join(' ')
  const width = String(lines.at(-1)?.seq ?? '').length
  return [
    `${out.paint('red', '✗')} ${head}${error ? `: ${error.message}` : ''}`,
    ...(error?.hint ? [`  ${error.hint}`] : []),
    ...lines.map(({ seq, line }) => out.paint('dim', `    ${String(seq).padStart(width)} │ ${line}`)),
    ...(serving && serving.id !== deployment.id
      ? [`  #${serving.number} keeps serving${serving.urls[0] ? ` ${serving.urls[0]}` : ''}`]
      : []),
    `  ${nextSteps(number, error).join('      ')}`,
  ]
}

function nextSteps(number: number, error: DeploymentError | null): string[] {
  const at = error?.logSeq ? ` --at ${error.logSeq}` : ''
  return [`Log: slipway logs ${number} --build${at}`, 'Again: slipway deploy']
}

/** What somebody has to answer, and how. */
export function waitingCard(out: Output, { number, waitingOn, services, error }: Deployment): string[] {
  const mark = out.paint('yellow', '!')
  if (waitingOn?.kind === 'prompt') {
    const what = waitingOn.promptId === 'approve_release' ? 'let this release go live?' : 'build this?'
    return [`${mark} #${number} waits: ${what}`, `  slipway respond ${number} approve|reject`]
  }
  const wide = Math.max(...services.map(({ name }) => name.length), 0)
  return [
    `${mark} #${number} came up in part and waits for you`,
    ...services.map((one) =>
      `    ${one.name.padEnd(wide)}  ${one.status.padEnd(9)}  ${one.error?.message ?? ''}`.trimEnd(),
    ),
    ...(error?.hint ? [`  ${error.hint}`] : []),
    `  Keep what came up:   slipway keep ${number}`,
    `  Take all of it back: slipway reject ${number}`,
  ]
}
