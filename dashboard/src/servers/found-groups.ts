import type { MigrationService, MigrationStack } from '@slipway/contract/migration-shape'

/** What belongs together on a server: a stack, or a container of none. */
export type Group = {
  key: string
  name: string
  isStack: boolean
  /** Where it comes from, in words. */
  origin: string
  /** Whether its file says what runs; null: there is none, or it cannot be told. */
  fileNote: string | null
  services: MigrationService[]
}

export function groupsOf({ composeStacks, containers }: Pick<MigrationStack, 'composeStacks' | 'containers'>): Group[] {
  const stacks = composeStacks.map(({ name, maker, platform, workingDir, files, differences, services }) => ({
    key: `${maker} ${name} ${workingDir ?? ''}`,
    name,
    isStack: true,
    origin: [platform ?? maker, workingDir].filter(Boolean).join(' · '),
    fileNote: fileNote(files, differences.length),
    services,
  }))
  const loose = containers.map((one) => ({
    key: one.key,
    name: one.name,
    isStack: false,
    origin: one.platform ?? 'container of no stack',
    fileNote: null,
    services: [one],
  }))
  return [...stacks, ...loose]
}

type Files = MigrationStack['composeStacks'][number]['files']

function fileNote(files: Files, differences: number): string | null {
  if (files.length === 0) return null
  if (files.some(({ found }) => found === false)) return 'its file is gone'
  if (differences > 0) return `${differences} ${differences === 1 ? 'difference' : 'differences'} to its file`
  return files.every(({ matches }) => matches === true) ? 'file matches' : null
}
