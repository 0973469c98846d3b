import type { Project, ProjectPatch } from '@slipway/contract/projects'

/** What a form of the settings holds: texts as they are typed, and switches. */
export type Draft = {
  name: string
  repository: string
  branch: string
  serverId: string
  autoDeploy: boolean
  reportStatus: boolean
  approveBuild: boolean
  approveRelease: boolean
  rollbackWindow: string
  bakeSeconds: string
  watchPaths: string
  skipWords: string
}
export type DraftName = keyof Draft
export const DRAFT_LABELS: Record<DraftName, string> = {
  name: 'Name',
  repository: 'Repository',
  branch: 'Branch',
  serverId: 'Server',
  autoDeploy: 'A push deploys',
  reportStatus: 'The git host is told',
  approveBuild: 'Somebody approves each build',
  approveRelease: 'Somebody approves each release',
  rollbackWindow: 'Releases to go back to',
  bakeSeconds: 'Watched for (s)',
  watchPaths: 'Only when these change',
  skipWords: 'Words that skip a deployment',
}

export function draftOf({ name, repository, branch, serverId, settings }: Project): Draft {
  return {
    name,
    repository: repository ?? '',
    branch: branch ?? '',
    serverId: serverId ?? '',
    autoDeploy: settings.autoDeploy,
    reportStatus: settings.reportStatus,
    approveBuild: settings.approveBuild,
    approveRelease: settings.approveRelease,
    rollbackWindow: String(settings.rollbackWindow),
    bakeSeconds: String(settings.bakeSeconds),
    watchPaths: settings.watchPaths.join('\n'),
    skipWords: settings.skipWords.join('\n'),
  }
}

const NAMES = Object.keys(DRAFT_LABELS) as DraftName[]
export const changedNames = (base: Draft, draft: Draft): DraftName[] =>
  NAMES.filter((name) => base[name] !== draft[name])

/** Only what somebody changed is sent: the rest may be changed by others meanwhile. */
export function patchOf(base: Draft, draft: Draft): ProjectPatch {
  const changed = new Set(changedNames(base, draft))
  const pick = <T>(name: DraftName, value: T) => (changed.has(name) ? { [name]: value } : {})
  const settings = {
    ...pick('autoDeploy', draft.autoDeploy),
    ...pick('reportStatus', draft.reportStatus),
    ...pick('approveBuild', draft.approveBuild),
    ...pick('approveRelease', draft.approveRelease),
    ...pick('rollbackWindow', Number(draft.rollbackWindow)),
    ...pick('bakeSeconds', Number(draft.bakeSeconds)),
    ...pick('watchPaths', lines(draft.watchPaths)),
    ...pick('skipWords', lines(draft.skipWords)),
  }
  return {
    ...pick('name', draft.name.trim()),
    ...pick('repository', draft.repository.trim() || null),
    ...pick('branch', draft.branch.trim() || null),
    ...pick('serverId', draft.serverId || null),
    ...(Object.keys(settings).length > 0 && { settings }),
  }
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

export type Clash = { name: DraftName; mine: string; theirs: string }

/** What both have changed, or others alone: beside each other, so that somebody can choose. */
export function clashesOf(base: Draft, theirs: Draft, mine: Draft): Clash[] {
  return changedNames(base, theirs).map((name) => ({ name, mine: said(mine[name]), theirs: said(theirs[name]) }))
}

const said = (value: string | boolean): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value === '' ? 'nothing' : value.split('\n').join(', ')
}

/** What others changed and this person did not, is taken over. */
export function withTheirs(base: Draft, theirs: Draft, mine: Draft): Draft {
  const own = changedNames(base, mine)
  return { ...theirs, ...Object.fromEntries(own.map((name) => [name, mine[name]])) } as Draft
}
