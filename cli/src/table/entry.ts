/** One option of a command. What is said about it is its help, its completion and its line in the reference. */
export type Flag = {
  type: 'boolean' | 'text' | 'number' | 'list'
  about: string
  short?: string
  /** What stands behind it in the help: `--branch NAME`. */
  value?: string
}

/** A line of the table: everything about a command but what it does. */
export type Entry = {
  group: Group
  summary: string
  /** Words behind its name: `host`, `[dir]` where it may be left out, `pairs...` for any number, `a|b` for one of these. */
  words?: readonly string[]
  flags?: Readonly<Record<string, Flag>>
  example?: string
  /** Works without an instance. */
  local?: true
  /** Everything behind its name is handed on unread. */
  raw?: true
}

/** In the order of the help. */
export const GROUPS = {
  account: 'Signing in',
  project: 'Projects',
  deploy: 'Deploying',
  answers: 'Answering',
  running: 'What runs',
  settings: 'Settings of a project',
  machines: 'Servers, registries and backups',
  git: 'The git host',
  organization: 'The organization',
  tools: 'Tools',
  instance: 'On the machine of the instance',
} as const
type Group = keyof typeof GROUPS

type Said = { about: string; short?: string }
const said = (about: string, short?: string): Said => ({ about, ...(short !== undefined && { short }) })

export const flag = (about: string, short?: string) =>
  ({ type: 'boolean', ...said(about, short) }) as const satisfies Flag
export const text = (value: string, about: string, short?: string) =>
  ({ type: 'text', value, ...said(about, short) }) as const satisfies Flag
export const list = (value: string, about: string, short?: string) =>
  ({ type: 'list', value, ...said(about, short) }) as const satisfies Flag
export const number = (value: string, about: string, short?: string) =>
  ({ type: 'number', value, ...said(about, short) }) as const satisfies Flag
