/** What an organization has, as far as it is known; undefined: not known yet, or not to this person. */
export type Found = {
  servers: { name: string; ok: boolean | null }[] | undefined
  projects: number | undefined
  isConnected: boolean | undefined
  destinations: number | undefined
}

export type StepName = 'you' | 'server' | 'project' | 'git' | 'backups'
export type SetupStep = { name: StepName; isDone: boolean; isOptional: boolean }

/** The way from nothing to an address. Computed anew each time and stored nowhere: it can be left and taken up again. */
export const setupSteps = ({
  servers = [],
  projects = 0,
  isConnected = false,
  destinations = 0,
}: Found): SetupStep[] => [
  { name: 'you', isDone: true, isOptional: false },
  { name: 'server', isDone: servers.some(({ ok }) => ok === true), isOptional: false },
  { name: 'project', isDone: projects > 0, isOptional: false },
  { name: 'git', isDone: isConnected, isOptional: true },
  { name: 'backups', isDone: destinations > 0, isOptional: true },
]

/** Of what must be done. */
export const isSetUp = (steps: SetupStep[]): boolean => steps.every(({ isDone, isOptional }) => isDone || isOptional)
